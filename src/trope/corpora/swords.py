"""SWORDS: substitutes of words in context, each judged by three or ten people."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from trope.core.errors import BadRecord
from trope.corpora.fields import read_bytes
from trope.corpora.sources import Source, source_name
from trope.corpora.substitution import Substitute, SubstitutionTarget

ACCEPTABLE = 0.5
"""A substitute is acceptable where more than this share of its judges agreed."""


class _Origin(msgspec.Struct):
    coinco_ids: list[str]
    coinco_lemma: str = ""


class _Context(msgspec.Struct):
    context: str
    extra: _Origin


class _Target(msgspec.Struct):
    context_id: str
    target: str
    offset: int
    pos: str
    extra: _Origin


class _Substitute(msgspec.Struct):
    target_id: str
    substitute: str


class _File(msgspec.Struct):
    contexts: dict[str, _Context]
    targets: dict[str, _Target]
    substitutes: dict[str, _Substitute]
    substitute_labels: dict[str, list[str]]


def read_swords(source: Source) -> Iterator[SubstitutionTarget]:
    """The targets of a file; the weight of a substitute is the share of judges who said TRUE.

    Raises:
        BadRecord: for a file of another shape, and for targets that do not stand where it says.
    """
    name = source_name(source)
    try:
        file = msgspec.json.decode(read_bytes(source).getvalue(), type=_File)
    except msgspec.MsgspecError as error:
        raise BadRecord(name, None, f"is no file of SWORDS ({error}); get it again") from None
    substitutes: dict[str, list[Substitute]] = {}
    for key, substitute in file.substitutes.items():
        labels = file.substitute_labels.get(key)
        if not labels:
            raise BadRecord(name, None, f"substitute {key!r} has no labels; get the file again")
        share = labels.count("TRUE") / len(labels)
        found = substitutes.setdefault(substitute.target_id, [])
        found.append(Substitute(substitute.substitute, share))
    for key, target in file.targets.items():
        context = file.contexts.get(target.context_id)
        end = target.offset + len(target.target)
        if context is None or context.context[target.offset : end] != target.target:
            problem = f"target {key!r} does not stand where its offset says"
            raise BadRecord(name, None, f"{problem}; get the file again")
        yield SubstitutionTarget(
            id=key,
            text=context.context,
            start=target.offset,
            end=end,
            lemma=target.extra.coinco_lemma or target.target.lower(),
            upos=target.pos,
            substitutes=tuple(substitutes.get(key, ())),
            document=context.extra.coinco_ids[0].split(":")[0],
        )
