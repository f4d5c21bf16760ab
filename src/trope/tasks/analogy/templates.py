"""Templates: they turn an item and one of its choices into two short texts, a start and an end."""

from __future__ import annotations

import string
from dataclasses import dataclass
from pathlib import Path

from trope.core.config import read_config
from trope.core.errors import BadConfig
from trope.corpora.mean import Analogy, spoken

SHIPPED = Path(__file__).with_name("templates.toml")
FIELDS = ("first_domain", "second_domain", "element", "choice")


@dataclass(frozen=True, slots=True)
class Template:
    """Two texts with the names of `FIELDS` in braces."""

    name: str
    start: str
    end: str

    def fill(self, item: Analogy, choice: str) -> tuple[str, str]:
        """Start and end for an item and a choice, which an encoder reads with a separator between.

        >>> item = Analogy("1", "TIME", "MONEY", "hour", ("coin", "purse", "litre", "trumpet"), 1)
        >>> Template("t", "{first_domain} : {second_domain}", "{element} : {choice}").fill(
        ...     item, "coin"
        ... )
        ('time : money', 'hour : coin')
        """
        words = {
            "first_domain": spoken(item.first_domain),
            "second_domain": spoken(item.second_domain),
            "element": spoken(item.element),
            "choice": spoken(choice),
        }
        return self.start.format(**words), self.end.format(**words)


@dataclass(frozen=True, slots=True)
class _TemplateFile:
    templates: tuple[Template, ...]


def read_templates(path: Path = SHIPPED) -> dict[str, Template]:
    """Name → template of a TOML file; without one T1 to T3 of the paper.

    Raises:
        BadConfig: with all faults: unknown fields in braces, names that come twice, no choice.
    """
    found = read_config(path, _TemplateFile).templates
    faults = [fault for template in found for fault in _faults(template)]
    names = [template.name for template in found]
    faults += [f"the name {name!r} comes twice" for name in set(names) if names.count(name) > 1]
    if not found:
        faults.append("has no [[templates]]")
    if faults:
        raise BadConfig(path, sorted(faults))
    return {template.name: template for template in found}


def _faults(template: Template) -> list[str]:
    used: set[str] = set()
    for part in (template.start, template.end):
        try:
            used |= {name for _, name, _, _ in string.Formatter().parse(part) if name is not None}
        except ValueError as error:
            return [f"template {template.name!r} has a brace too many or too few ({error})"]
    faults = [
        f"template {template.name!r} has {{{name}}}, known: {', '.join(FIELDS)}"
        for name in sorted(used - set(FIELDS))
    ]
    if "choice" not in used:
        faults.append(f"template {template.name!r} lacks {{choice}}, so all choices look the same")
    return faults
