"""Hashtags that the harvest asks for: those of the settings, and proposals that a person accepts.

Proposals of latent semantic analysis are ranked in hashtags.csv of the run. A person fills in its
column `accept` and gives the command again: the harvest goes on with what is accepted.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write
from trope.corpora.tables import read_rows
from trope.recipes.recipe import Context
from trope.recipes.records import Outcome, Record
from trope.recipes.settings import Count, Number
from trope.tasks.sentiment.categories import CategoryRules, hashtags
from trope.tasks.sentiment.harvest import HashtagProposal, propose_hashtags

PROPOSALS = "hashtags.csv"
FigurativeKind = Literal["sarcasm", "irony"]
KINDS: tuple[FigurativeKind, ...] = ("sarcasm", "irony")
_COLUMNS = ("hashtag", "similarity", "nearest", "kind", "tweets", "together", "accept")
_YES, _NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class HashtagSettings:
    """Known hashtags and words, how many are proposed, and accepted ones (`tag` or `tag:kind`)."""

    sarcasm: tuple[str, ...]
    irony: tuple[str, ...]
    words: tuple[str, ...]
    propose: Count
    least_tweets: Number
    accept: tuple[str, ...]

    @property
    def known(self) -> dict[str, FigurativeKind]:
        """Each known hashtag with its kind."""
        kinds: dict[str, FigurativeKind] = {_plain(tag): "irony" for tag in self.irony}
        return kinds | {_plain(tag): "sarcasm" for tag in self.sarcasm}


def _plain(tag: str) -> str:
    return tag.strip().lstrip("#").lower()


def propose(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """All tweets; writes the proposals, unless a person has edited them."""
    every = list(records)
    settings: HashtagSettings = context.settings.hashtags
    path = context.folder / PROPOSALS
    known = settings.known
    if settings.propose and not path.exists():
        texts = [record.text for record in every]
        if any(tag in known for text in texts for tag in hashtags(text)):
            found = propose_hashtags(
                texts, known=tuple(known), least_tweets=settings.least_tweets, seed=context.seed
            )
            _write(found[: settings.propose], known, path)
        else:
            context.facts["proposed"] = "none, since no tweet has a known hashtag"
    rows = list(_read(path))
    if rows:
        context.facts["proposed"] = f"{len(rows)} in {PROPOSALS}, to be accepted there"
    if accepted := _accepted(context):
        context.facts["accepted"] = ", ".join(f"#{tag} ({kind})" for tag, kind in accepted.items())
    yield from every


def wanted_hashtags(context: Context) -> dict[str, Any]:
    """The rules of the harvest: hashtags, words, and which hashtag is of which category."""
    settings: HashtagSettings = context.settings.hashtags
    kinds = settings.known | _accepted(context)
    by_kind = {kind: tuple(tag for tag in kinds if kinds[tag] == kind) for kind in KINDS}
    return {
        "hashtags": (*by_kind["sarcasm"], *by_kind["irony"]),
        "markers": settings.words,
        "categories": CategoryRules(by_kind["sarcasm"], by_kind["irony"], settings.words),
    }


def _accepted(context: Context) -> dict[str, FigurativeKind]:
    """Accepted hashtags with their kinds: those of the settings, then those of the sheet.

    Raises:
        BadRecord: the sheet has an answer that is none.
        BadInput: an accepted hashtag has no kind.
    """
    path = context.folder / PROPOSALS
    rows = list(_read(path))
    near: dict[str, str] = {_plain(row["hashtag"]): row["kind"] for _, row in rows}
    found: dict[str, FigurativeKind] = {}
    for given in context.settings.hashtags.accept:
        tag, _, kind = given.partition(":")
        found[_plain(tag)] = _kind(kind.strip() or near.get(_plain(tag), ""), given)
    for line, row in rows:
        answer = row["accept"].strip().lower()
        if answer in ("", _NO):
            continue
        if answer not in (_YES, *KINDS):
            known = ", ".join((_YES, _NO, *KINDS))
            raise BadRecord(path, line, f"accept is {answer!r}; write one of {known}, or nothing")
        found[_plain(row["hashtag"])] = _kind(row["kind"] if answer == _YES else answer, answer)
    return found


def _kind(kind: str, given: str) -> FigurativeKind:
    for known in KINDS:
        if kind == known:
            return known
    remedy = f"write {given.partition(':')[0]}:sarcasm or {given.partition(':')[0]}:irony"
    raise BadInput(f"hashtags.accept: {given!r} was not proposed and has no kind; {remedy}")


def _write(proposals: list[HashtagProposal], known: dict[str, FigurativeKind], path: Path) -> None:
    with atomic_write(path) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(_COLUMNS)
        for one in proposals:
            like, kind = f"{one.similarity:.3f}", known[one.nearest]
            rows.writerow([one.hashtag, like, one.nearest, kind, one.tweets, one.together, ""])


def _read(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of the sheet, if there is one.

    Raises:
        BadRecord: a column is missing.
    """
    if not path.is_file():
        return
    for line, row in read_rows(path, format="csv"):
        if missing := [name for name in ("hashtag", "kind", "accept") if name not in row]:
            problem = f"has no column {missing[0]!r}; restore it, or delete the file and run again"
            raise BadRecord(path, line, problem)
        yield line, row
