"""Imports every module with the packages of the core alone, then of each extra: prints what failed.

`python each_extra.py`. Distributions outside the core and the extra are hidden, so that one
environment stands for all; modules of Python that Windows lacks are hidden from trope.
"""

import builtins
import importlib
import json
import os
import re
import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from requirements import EXTRAS, PROJECT

UNIX_ONLY = {
    "crypt", "fcntl", "grp", "nis", "ossaudiodev", "posix", "pty", "pwd", "readline", "resource",
    "spwd", "syslog", "termios", "tty",
}  # fmt: skip

visible: set[str] = set()
"""Distributions that can be imported; changed from step to step."""
_BROUGHT_BY = packages_distributions()


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(lines: Iterable[str]) -> set[str]:
    """The distributions that these requirements bring, with all that they need themselves."""
    found: set[str] = set()
    pending = [(Requirement(line), "") for line in lines]
    while pending:
        requirement, extra = pending.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = normal(requirement.name)
        asked = requirement.extras or {""}
        if name in found and asked == {""}:
            continue
        found.add(name)
        try:
            own = [Requirement(line) for line in requires(requirement.name) or ()]
        except PackageNotFoundError:
            own = []
        pending += [(need, extra) for need in own for extra in asked]
    return found


class VisiblePackages(PathFinder):
    """Finds what is in a visible distribution, or in none (Python's own modules, trope)."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        owners = {normal(name) for name in _BROUGHT_BY.get(fullname.partition(".")[0], ())}
        if owners and owners.isdisjoint(visible | {"trope"}):
            return None
        return super().find_spec(fullname, path, target)


def hide_unix_modules() -> None:
    """Modules that Windows lacks are not there for trope; other packages ask for the platform."""
    given = builtins.__import__

    def importer(name: str, globals: Any = None, *rest: Any, **named: Any) -> Any:  # noqa: A002
        asks = (globals or {}).get("__name__", "")
        if name.partition(".")[0] in UNIX_ONLY and asks.partition(".")[0] == "trope":
            raise ModuleNotFoundError(f"No module named {name!r} on Windows", name=name)
        return given(name, globals, *rest, **named)

    builtins.__import__ = importer


def import_modules(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Modules that need a package that is hidden, and faults: what fails for another reason."""
    from trope.core.errors import MissingExtra

    missing, faults = [], []
    for name in names:
        try:
            importlib.import_module(name)
        except MissingExtra as error:
            needed = closure(PROJECT["optional-dependencies"][error.extra])
            (faults if needed <= visible else missing).append(name)
        except ModuleNotFoundError as error:
            owners = {normal(n) for n in _BROUGHT_BY.get((error.name or "").partition(".")[0], ())}
            (missing if owners and owners.isdisjoint(visible) else faults).append(name)
        except Exception as error:  # noqa: BLE001 - whatever it is, the module does not import
            faults.append(f"{name}: {type(error).__name__}: {error}")
    return missing, faults


def try_extra(extra: str, names: list[str]) -> tuple[list[str], list[str]]:
    """The same in a forked process that sees the packages of an extra too."""
    visible.update(closure(PROJECT["optional-dependencies"][extra]))
    if "django" in visible:  # tables are imported by a process that has a database
        from trope.annotate.store.database import set_up

        set_up(SECRET_KEY="none")
    return import_modules(names)


def module_names() -> list[str]:
    """All modules of trope, found as files, since a package that does not import hides its own."""
    import trope

    (root,) = map(Path, trope.__path__)
    files = (path.relative_to(root.parent).with_suffix("") for path in root.rglob("*.py"))
    names = {".".join(path.parts).removesuffix(".__init__") for path in files}
    return sorted(name for name in names if not name.endswith("__main__"))


def report(extra: str, tried: list[str], missing: list[str], faults: list[str]) -> None:
    """One line of JSON: the modules that import, those that need another extra, those that fail."""
    failed = {fault.partition(":")[0] for fault in faults}.union(missing)
    imported = [name for name in tried if name not in failed]
    line = {"extra": extra, "imported": imported, "missing": missing, "faults": faults}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main() -> None:
    sys.meta_path[sys.meta_path.index(PathFinder)] = VisiblePackages
    visible.update(closure(PROJECT["dependencies"]))
    hide_unix_modules()
    names = module_names()
    missing, faults = import_modules(names)
    report("", names, missing, faults)
    for extra in EXTRAS:
        if os.fork() == 0:
            report(extra, missing, *try_extra(extra, missing))
            os._exit(0)
        os.wait()


if __name__ == "__main__":
    main()
