"""Checks of corpora against the catalogue: presence, size, checksum, counts."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from trope.catalog import READERS
from trope.core.errors import BadInput, BadRecord
from trope.corpora.conceptual_metaphors import ConceptName, ConceptText
from trope.corpora.conllu import ConlluSentence
from trope.corpora.figures import SARCASM_CLASSES, SarcasmText
from trope.corpora.idioms import CompoundText, IdiomSentence
from trope.corpora.mean import Analogy
from trope.corpora.metadata import CorpusFile, CorpusMetadata
from trope.corpora.records import LabelledSentence, NameSample
from trope.corpora.sources import open_source
from trope.corpora.tagged_tokens import TaggedSentence
from trope.lexicon.readings import NAME_CLASSES, readings

Status = Literal["equal", "missing", "differs"]


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of a check of one file; `problems` are sentences for people."""

    corpus: str
    file: str
    status: Status
    problems: tuple[str, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()


def check_file(corpus: CorpusMetadata, file: CorpusFile, root: str | Path) -> FileReport:
    """Whether a file is there, and has the size, the checksum and the counts that it should."""
    path = file.locate(Path(root) / corpus.name)
    if path is None:
        return FileReport(corpus.name, file.name, "missing", (corpus.remedy(file, root),))
    problems = list(_content_problems(path, file))
    counts: dict[str, int] = {}
    try:
        counts = count(file, path)
    except BadRecord as error:
        problems.append(f"line {error.line}: {error.problem}")
    for name, number in counts.items():
        if number != file.counts[name]:
            problems.append(f"{name}: {number:,} instead of {file.counts[name]:,}")
    status: Status = "differs" if problems else "equal"
    return FileReport(corpus.name, file.name, status, tuple(problems), tuple(counts.items()))


def count(file: CorpusFile, path: Path) -> dict[str, int]:
    """The expected counts of a file that its reader can count, counted on `path`."""
    if not file.reader or not file.counts:
        return {}
    read = READERS.load(file.reader)
    found = COUNTERS[file.reader](read(path, **_options(file)))
    return {name: found[name] for name in file.counts if name in found}


def present(corpus: CorpusMetadata, file: CorpusFile, root: str | Path) -> Path | None:
    """Where the right file lies already, packed or not; None where there is none or another."""
    path = file.locate(Path(root) / corpus.name)
    try:
        right = path is not None and content_digest(path)[1] == file.sha256
    except BadInput:
        return None
    return path if right else None


def content_digest(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file's content, unpacked if it is packed.

    Raises:
        BadInput: if the packing is damaged.
    """
    digest, size = hashlib.sha256(), 0
    try:
        with open_source(path) as stream:
            while piece := stream.read(1 << 20):
                digest.update(piece)
                size += len(piece)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadInput(f"{path}: is a damaged gzip file ({error}); get it again") from None
    return size, digest.hexdigest()


def _content_problems(path: Path, file: CorpusFile) -> Iterator[str]:
    try:
        size, digest = content_digest(path)
    except BadInput as error:
        yield str(error)
        return
    if size != file.bytes:
        yield f"bytes: {size:,} instead of {file.bytes:,}"
    elif digest != file.sha256:
        yield f"checksum: {digest[:12]}… instead of {file.sha256[:12]}…"


def _options(file: CorpusFile) -> dict[str, object]:
    """The reader's options; a list of columns is one string in the catalogue."""
    options: dict[str, object] = dict(file.options)
    if isinstance(columns := options.get("columns"), str):
        options["columns"] = columns.split(",")
    return options


def _count_conllu(sentences: Iterable[ConlluSentence]) -> Counter[str]:
    total: Counter[str] = Counter(sentences=0, words=0, multiword_tokens=0, empty_nodes=0)
    for sentence in sentences:
        total["sentences"] += 1
        total["words"] += len(sentence.words)
        total["multiword_tokens"] += len(sentence.multiword)
        total["empty_nodes"] += sentence.empty_nodes
    return total


def _count_as(unit: str) -> Callable[[Iterable[Any]], Counter[str]]:
    return lambda records: Counter({unit: sum(1 for _ in records)})


def _count_words(sentences: Iterable[LabelledSentence]) -> Counter[str]:
    total: Counter[str] = Counter(rows=0, tokens=0, metaphors=0)
    for sentence in sentences:
        total["rows"] += 1
        total["tokens"] += len(sentence.words)
        total["metaphors"] += sum(sentence.labels)
    return total


def _count_analogies(items: Iterable[Analogy]) -> Counter[str]:
    found = list(items)
    return Counter(
        rows=len(found),
        metaphors=len({item.metaphor for item in found}),
        first_domains=len({item.first_domain for item in found}),
        second_domains=len({item.second_domain for item in found}),
    )


def _count_samples(samples: Iterable[NameSample]) -> Counter[str]:
    """Samples, and those of each reading that is known."""
    known = [name for name_class in NAME_CLASSES for name in readings(name_class)]
    total: Counter[str] = Counter(dict.fromkeys(["samples", *known], 0))
    for sample in samples:
        total["samples"] += 1
        if sample.reading:
            total[sample.reading] += 1
    return total


def _count_rows(**fields: str) -> Callable[[Iterable[Any]], Counter[str]]:
    """Counts rows, and under each name those in which the field is set."""

    def counted(records: Iterable[Any]) -> Counter[str]:
        total: Counter[str] = Counter(dict.fromkeys(["rows", *fields], 0))
        for record in records:
            total["rows"] += 1
            for name, field in fields.items():
                total[name] += bool(getattr(record, field))
        return total

    return counted


def _count_values(field: str) -> Callable[[Iterable[Any]], Counter[str]]:
    """Counts rows, and those of each value of a field."""

    def counted(records: Iterable[Any]) -> Counter[str]:
        total: Counter[str] = Counter(rows=0)
        for record in records:
            total["rows"] += 1
            total[getattr(record, field)] += 1
        return total

    return counted


def _count_tagged(sentences: Iterable[TaggedSentence]) -> Counter[str]:
    """Sentences, tokens, spans, and the spans of each type."""
    total: Counter[str] = Counter(sentences=0, tokens=0, spans=0)
    for sentence in sentences:
        total["sentences"] += 1
        total["tokens"] += len(sentence.tokens)
        for span in sentence.spans:
            total["spans"] += 1
            total[span.type] += 1
    return total


def _count_idioms(sentences: Iterable[IdiomSentence | CompoundText]) -> Counter[str]:
    total: Counter[str] = Counter(rows=0, idiomatic=0, literal=0, spans=0)
    for sentence in sentences:
        total["rows"] += 1
        total["idiomatic"] += sentence.idiomatic is True
        total["literal"] += sentence.idiomatic is False
        total["spans"] += len(sentence.spans) if isinstance(sentence, IdiomSentence) else 0
    return total


def _count_sarcasm(texts: Iterable[SarcasmText]) -> Counter[str]:
    total: Counter[str] = Counter(dict.fromkeys(["rows", "sarcastic", *SARCASM_CLASSES], 0))
    for text in texts:
        total["rows"] += 1
        total["sarcastic"] += bool(text.sarcastic)
        total.update(text.classes)
    return total


def _count_concepts(texts: Iterable[ConceptText]) -> Counter[str]:
    found = list(texts)
    return Counter(
        rows=len(found),
        spans=sum(text.span is not None for text in found),
        guesses=sum(text.guess is not None for text in found),
        metaphors=sum(bool(text.metaphor) for text in found),
        concepts=len({text.label for text in found}),
    )


def _count_concept_names(names: Iterable[ConceptName]) -> Counter[str]:
    found = list(names)
    return Counter(rows=len(found), groups=len({name.group for name in found if name.group}))


COUNTERS: dict[str, Callable[[Iterable[Any]], Counter[str]]] = {
    "bizzoni-lappin": _count_as("sets"),
    "coinco": _count_as("targets"),
    "conceptual-metaphors": _count_as("metaphors"),
    "conllu": _count_conllu,
    "documents": _count_as("documents"),
    "frames": _count_as("frames"),
    "impli": _count_as("pairs"),
    "lines": _count_as("lines"),
    "munch": _count_as("targets"),
    "munch-pairs": _count_as("pairs"),
    "swords": _count_as("targets"),
    "mean": _count_analogies,
    "master-metaphor-list": _count_as("examples"),
    "metanet": _count_as("rows"),
    "rows": _count_as("rows"),
    "conll-metonymy": _count_samples,
    "relocar": _count_samples,
    "semeval2007": _count_samples,
    "semeval2007-roles": _count_as("lines"),
    "semeval2007-standoff": _count_as("samples"),
    "semeval2007-tagged": _count_as("samples"),
    "texts": _count_as("rows"),
    "emobank": _count_values("split"),
    "epie": _count_idioms,
    "geowebnews": _count_samples,
    "hyperboles": _count_rows(hyperboles="hyperbole", metaphors="metaphor"),
    "hypo": _count_as("rows"),
    "isarcasm": _count_sarcasm,
    "lcc-domain-names": _count_concept_names,
    "lcc-domains": _count_concepts,
    "leaks": _count_as("rows"),
    "magpie": _count_idioms,
    "msd23": _count_rows(similes="simile"),
    "noun-compounds": _count_as("rows"),
    "pie": _count_values("figure"),
    "semeval2022": _count_idioms,
    "tagged-tokens": _count_tagged,
    "uner": _count_tagged,
    "wimcor": _count_samples,
    "vua-words": _count_words,
    "vuamc": _count_words,
    **dict.fromkeys(
        (
            "lcc",
            "moh",
            "moh-formatted",
            "moh-x",
            "naacl2018-key",
            "newsmet",
            "newsmet-test",
            "trofi",
            "trofi-formatted",
            "tsv-adjective-noun",
            "tsv-svo",
            "tsv-svo-sentences",
            "vua-verbs",
        ),
        _count_rows(metaphors="metaphor"),
    ),
}
"""What can be counted in the records of each reader."""
