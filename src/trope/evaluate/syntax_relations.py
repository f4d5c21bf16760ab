"""Relations of annotated headlines and tweets: verb–object, subject–verb–object, and the ROOT.

The annotation ships as ids, checksums and offsets; the texts stay in the research data. An answer
counts where all of its words are exactly the annotated spans.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

import trope.corpora
from trope.core.errors import BadRecord, MissingData
from trope.core.files import read_lines, sha256
from trope.core.progress import track
from trope.core.records import ROOT, Analysis, TextKind
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.metrics.classification import Counts, count_sets
from trope.metrics.figures import DataRef, Measurement, Share, share_figures

Span = tuple[int, int]

GOLD = Path(trope.corpora.__file__).parent / "gold"


class HeadlineRow(msgspec.Struct, frozen=True):
    """A headline's root, its focus verb if it has one, and its subject–verb–object triplets."""

    id: str
    sha256: str
    root: Span
    focus: Span | None
    svo: tuple[tuple[Span, Span, Span], ...]

    @property
    def spans(self) -> list[Span]:
        """All stretches of text that the row names."""
        focus = [self.focus] if self.focus else []
        return [self.root, *focus, *(span for triplet in self.svo for span in triplet)]


class TweetRow(msgspec.Struct, frozen=True):
    """A tweet's pairs of a verb and its noun object."""

    id: str
    source: str
    sha256: str
    vo: tuple[tuple[Span, Span], ...]

    @property
    def spans(self) -> list[Span]:
        """All stretches of text that the row names."""
        return [span for pair in self.vo for span in pair]


Row = TypeVar("Row", HeadlineRow, TweetRow)

# source of a text → its files, and the columns of id and text
_SOURCES = {
    "headlines": (("headlines/headlines.tsv.gz",), 0, 1),
    "tweets-brexit": (("tweets-brexit/brexit-tweets.tsv.gz",), 0, 4),
    "semeval2018-ec": (
        tuple(
            f"tweets-emotion/semeval2018-ec/2018-E-c-En-{split}.txt"
            for split in ("train", "dev", "test")
        ),
        0,
        1,
    ),
}


def read_headlines(path: Path, data: Path) -> list[tuple[HeadlineRow, str]]:
    """The annotated headlines with their texts."""
    rows = _read_rows(path, HeadlineRow)
    texts = find_texts(data, "headlines", [row.id for _, row in rows])
    return [(row, _checked(row, texts.get(row.id), path, line)) for line, row in rows]


def read_tweets(path: Path, data: Path) -> list[tuple[TweetRow, str]]:
    """The annotated tweets with their texts."""
    rows = _read_rows(path, TweetRow)
    texts: dict[str, str] = {}
    for source in sorted({row.source for _, row in rows}):
        if source not in _SOURCES:
            line = next(line for line, row in rows if row.source == source)
            known = ", ".join(sorted(_SOURCES))
            raise BadRecord(path, line, f"source {source!r} is unknown; give one of {known}")
        texts |= find_texts(data, source, [row.id for _, row in rows if row.source == source])
    return [(row, _checked(row, texts.get(row.id), path, line)) for line, row in rows]


def find_texts(data: Path, source: str, ids: Iterable[str]) -> dict[str, str]:
    """Id → text of those ids that the source has."""
    files, id_column, text_column = _SOURCES[source]
    wanted = set(ids)
    found: dict[str, str] = {}
    for file in files:
        for number, line in read_lines(data / file):
            columns = line.split("\t")
            if len(columns) <= max(id_column, text_column):
                raise BadRecord(data / file, number, "has too few columns; get the file again")
            if columns[id_column] in wanted:
                found[columns[id_column]] = columns[text_column]
            if len(found) == len(wanted):
                return found
    return found


def _read_rows(path: Path, kind: type[Row]) -> list[tuple[int, Row]]:
    """Numbered rows of a JSON-lines file, each id once."""
    if not path.is_file():
        raise MissingData(path, "install trope again: the annotated sets are part of it")
    rows: list[tuple[int, Row]] = []
    seen: set[str] = set()
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line, type=kind)
        except msgspec.DecodeError as error:
            raise BadRecord(path, number, f"{error}; correct the row") from None
        if row.id in seen:
            raise BadRecord(path, number, f"id {row.id!r} is there twice; keep one of the rows")
        seen.add(row.id)
        rows.append((number, row))
    return rows


def _checked(row: HeadlineRow | TweetRow, text: str | None, path: Path, line: int) -> str:
    """The text, if it is the one that was annotated."""
    if text is None:
        raise BadRecord(path, line, f"no text has the id {row.id!r}; check the data with --from")
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    if digest != row.sha256:
        problem = f"the text of {row.id!r} has the checksum {digest}, not {row.sha256}"
        raise BadRecord(path, line, f"{problem}; give the version of the data that was annotated")
    _check_spans(row.spans, text, path, line)
    return text


def _check_spans(spans: Sequence[Span], text: str, path: Path, line: int) -> None:
    for start, end in spans:
        if not 0 <= start < end <= len(text):
            problem = f"span [{start}, {end}] does not lie in a text of {len(text)} characters"
            raise BadRecord(path, line, f"{problem}; correct the offsets")


NO_NOUN = frozenset({"pronoun-object", "not-a-noun", "object-before-verb"})
"""Reasons of relations that the annotation of tweets leaves out: their object is not a noun."""

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_CONTROL_NOTE = "from tags and word order, without a tree"


@dataclass(frozen=True, slots=True)
class HeadlineCounts:
    """What one headline adds to the scores."""

    svo: Counts
    verb_object: Counts
    root: int


_HEADLINE_SHARES = {
    "svo_f": lambda c: _f(c.svo),
    "svo_precision": lambda c: Share(c.svo.right, c.svo.predicted, n=c.svo.predicted),
    "svo_recall": lambda c: Share(c.svo.right, c.svo.gold, n=c.svo.gold),
    "verb_object_f": lambda c: _f(c.verb_object),
    "root_accuracy": lambda c: Share(c.root, 1, n=1),
}
_HEADLINE_CONTROLS = {
    "svo_f.tags_only": lambda c: _f(c.svo),
    "verb_object_f.tags_only": lambda c: _f(c.verb_object),
    "root_accuracy.tags_only": lambda c: Share(c.root, 1, n=1),
}


def _f(counts: Counts) -> Share:
    return Share(2 * counts.right, counts.predicted + counts.gold, n=counts.gold)


def evaluate_headlines(
    pipeline: EvaluatedPipeline, options: EvaluationOptions
) -> list[Measurement]:
    """F of subject–verb–object triplets and accuracy of the ROOT on the annotated headlines."""
    path = GOLD / "headlines.jsonl"
    rows = read_headlines(path, options.data)
    analyses = _analyses([text for _, text in rows], "headline", pipeline, options)
    ours, control = [], []
    for (row, _), analysis in zip(rows, analyses, strict=True):
        ours.append(_headline_counts(row, _triplets(analysis), _root(analysis)))
        guess = _guess_triplet(analysis)
        root = guess[1] if guess else None
        complete = [(s, v, o) for s, v, o in [guess or (None, None, None)] if s and v and o]
        control.append(_headline_counts(row, complete, root))
    data, note = _signature(path), f"{len(rows)} headlines"
    return [
        *share_figures("syntax.headlines", ours, _HEADLINE_SHARES, data=data,
                       seed=options.seed, note=note),
        *share_figures("syntax.headlines", control, _HEADLINE_CONTROLS, data=data,
                       seed=options.seed, note=_CONTROL_NOTE),
    ]  # fmt: skip


def evaluate_tweets(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """F of verb–object pairs on the annotated tweets."""
    path = GOLD / "tweets.jsonl"
    rows = read_tweets(path, options.data)
    analyses = list(_analyses([text for _, text in rows], "tweet", pipeline, options))
    gold = [row.vo for row, _ in rows]
    ours = [count_sets(g, list(_pairs(a))) for g, a in zip(gold, analyses, strict=True)]
    control = [count_sets(g, list(_guess_pairs(a))) for g, a in zip(gold, analyses, strict=True)]
    data, note = _signature(path), f"{len(rows)} tweets"
    shares = {
        "vo_f": _f,
        "vo_precision": lambda c: Share(c.right, c.predicted, n=c.predicted),
        "vo_recall": lambda c: Share(c.right, c.gold, n=c.gold),
    }
    return [
        *share_figures("syntax.tweets", ours, shares, data=data, seed=options.seed, note=note),
        *share_figures("syntax.tweets", control, {"vo_f.tags_only": _f}, data=data,
                       seed=options.seed, note=_CONTROL_NOTE),
    ]  # fmt: skip


def _analyses(
    texts: Sequence[str], kind: TextKind, pipeline: EvaluatedPipeline, options: EvaluationOptions
) -> Iterator[Analysis]:
    analyses = pipeline.analyze_many(texts, kind=kind)
    return track(analyses, f"{kind}s", total=len(texts), quiet=options.quiet)


def _signature(path: Path) -> DataRef:
    return DataRef(name=path.stem, split="hand", sha256=sha256(path))


def _headline_counts(
    row: HeadlineRow, triplets: Sequence[tuple[Span, Span, Span]], root: Span | None
) -> HeadlineCounts:
    return HeadlineCounts(
        svo=count_sets(row.svo, triplets),
        verb_object=count_sets([t[1:] for t in row.svo], [t[1:] for t in triplets]),
        root=int(root == row.root),
    )


def _triplets(analysis: Analysis) -> list[tuple[Span, Span, Span]]:
    """All triplets, also rejected ones: rejection is about what a headline is used for."""
    return [
        (_span(analysis, r.subject), _span(analysis, r.verb), _span(analysis, r.object))
        for r in analysis.relations
        if r.kind == "svo" and r.subject is not None and r.object is not None
    ]


def _pairs(analysis: Analysis) -> Iterator[tuple[Span, Span]]:
    """Verbs with their noun objects; kept, or rejected for another reason than the noun.

    Triplets are passed over: their reasons are about headlines and say nothing of the noun.
    """
    for relation in analysis.relations:
        if relation.kind != "vo" or relation.object is None or relation.reason in NO_NOUN:
            continue
        yield _span(analysis, relation.verb), _span(analysis, relation.object)


def _root(analysis: Analysis) -> Span | None:
    """The ROOT of the first sentence: a relation's, which handles raising, or else the tree's."""
    roots = [at for at, token in enumerate(analysis.tokens) if token.head == ROOT]
    if not roots:
        return None
    verbs = [r.verb for r in analysis.relations_in(analysis.sentences[0]) if r.root]
    return _span(analysis, [*verbs, *roots][0])


def _guess_triplet(analysis: Analysis) -> tuple[Span | None, Span, Span | None] | None:
    """The first verb, the nearest nominal before it and the end of the first noun group after."""
    tags = [token.upos for token in analysis.tokens]
    if "VERB" not in tags:
        return None
    verb = tags.index("VERB")
    before = [at for at in range(verb) if tags[at] in _NOMINAL]
    after = _end_of_next_group(tags, verb)
    return (
        _span(analysis, before[-1]) if before else None,
        _span(analysis, verb),
        _span(analysis, after) if after is not None else None,
    )


def _guess_pairs(analysis: Analysis) -> Iterator[tuple[Span, Span]]:
    """Every verb with the end of the first noun group after it."""
    tags = [token.upos for token in analysis.tokens]
    for verb, tag in enumerate(tags):
        noun = _end_of_next_group(tags, verb) if tag == "VERB" else None
        if noun is not None:
            yield _span(analysis, verb), _span(analysis, noun)


def _end_of_next_group(tags: Sequence[str], verb: int) -> int | None:
    """The last word of the first run of nominals after the verb and before the next verb."""
    found = None
    for at in range(verb + 1, len(tags)):
        if tags[at] in _NOMINAL:
            found = at
        elif found is not None or tags[at] == "VERB":
            break
    return found


def _span(analysis: Analysis, position: int) -> Span:
    token = analysis.tokens[position]
    return token.start, token.end
