"""A run over a corpus: entries into shards, shards to an executor, receipts into the folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import msgspec

from trope.core.errors import BadInput, TropeError
from trope.corpora.files import STDIN, FileOptions, InputFile, Tell, tell_nobody
from trope.scale.entries import Columns, FileTable, InputCorpus, RefusedRow, TextRow
from trope.scale.folder import ERRORS, DetectFolder, DetectManifest, InputChecksum
from trope.scale.job import SHARD_CHARACTERS, DetectSettings, Executor, Receipt, Shard
from trope.scale.shards import FIGURES, make_shard, store

_TOTALS = ("texts", "sentences", "words", "metaphors", "refused")


@dataclass(frozen=True, slots=True)
class DetectProgress:
    """How far a run is: texts done in this attempt, bytes of the input that were read."""

    texts: int
    position: int
    size: int


Report = Callable[[DetectProgress], None]


def detect(
    files: Sequence[InputFile],
    settings: DetectSettings,
    out: Path,
    executor: Executor,
    *,
    resume: bool = False,
    report: Report = lambda progress: None,
    tell: Tell = tell_nobody,
    any_language: bool = False,
    columns_named: bool = True,
    mix_devices: bool = False,
) -> dict[str, int]:
    """Write the results of a corpus into the folder `out`; their totals come back.

    Args:
        tell: is told the name of a file and how it was read.
        any_language: do not tell which files are not in English.
        columns_named: every file must have the kept columns, since somebody named them.
        mix_devices: resume also what another device began; the manifest then names both.

    Raises:
        BadInput: for input, settings or a folder that cannot be used; then nothing was written.
    """
    columns = Columns(settings.text_column, settings.id_column, settings.columns)
    about = open_table(settings.metadata)
    corpus = InputCorpus(
        files, columns, settings.reading, tell=tell, any_language=any_language, about=about
    )
    _check(files, settings, resume)
    if about is not None:
        about.check(files, tell)
    corpus.check(strict=columns_named)
    inputs = tuple(InputChecksum(file.path, file.bytes, file.sha256()) for file in files)
    wanted = DetectManifest("detect", "running", settings, inputs)
    with closing(DetectFolder(out)) as folder:
        try:
            if mix_devices and folder.has_manifest:
                wanted = _on_both(folder.manifest().settings.device, wanted)
            there = folder.open(wanted, resume=resume)
            if there is not None:
                _work(corpus, wanted, folder, executor, there, report)
        except TropeError:
            raise
        except OSError as error:
            cause = error.strerror or str(error)
            problem = f"cannot be written ({cause}); resume with --resume when it can"
            raise BadInput(f"{error.filename or out}: {problem}") from error
        return folder.manifest().totals


def open_table(path: str) -> FileTable | None:
    """The table about files, if there is one."""
    return FileTable(Path(path)) if path else None


def kept_columns(
    files: Sequence[InputFile], columns: Columns, reading: FileOptions, metadata: str = ""
) -> tuple[str, ...]:
    """The columns that are kept unless some are named: what `serve` and `query` group and show."""
    about = open_table(metadata)
    names = InputCorpus(files, columns, reading, about=about).found_columns()
    return tuple(name for name in names if name not in FIGURES)


def _on_both(before: str, wanted: DetectManifest) -> DetectManifest:
    """The wanted run, with the devices of the one before among its own."""
    devices = sorted({*before.split(", "), wanted.settings.device})
    settings = msgspec.structs.replace(wanted.settings, device=", ".join(devices))
    return msgspec.structs.replace(wanted, settings=settings)


def _check(files: Sequence[InputFile], settings: DetectSettings, resume: bool) -> None:
    for name in settings.columns:
        if name in FIGURES:
            raise BadInput(
                f"column {name!r} has the name of an output column; rename it to keep it"
            )
    if len(set(settings.columns)) < len(settings.columns):
        raise BadInput("a column is named twice in --columns; name every column once")
    if resume and any(file.path == STDIN for file in files):
        raise BadInput("standard input cannot be read again; put the texts into a file to resume")


def _work(
    corpus: InputCorpus,
    wanted: DetectManifest,
    folder: DetectFolder,
    executor: Executor,
    there: list[Receipt],
    report: Report,
) -> None:
    """Do what is not done yet, and finish the folder."""
    receipts = {receipt.number: receipt for receipt in there}
    refused: Counter[str] = Counter()
    texts = position = 0
    with folder.unfinished_errors.open("wb") as errors:
        shards = _shards(_texts(corpus, errors, refused), corpus, wanted.settings.shard_rows)
        missing = (shard for shard in shards if shard.number not in receipts)
        for shard, made in executor.run(partial(make_shard, wanted.settings), missing):
            receipt = store(made, folder.path)
            folder.note(receipt)
            receipts[receipt.number] = receipt
            texts += receipt.texts
            position = max(position, shard.position)  # shards may come in any order
            report(DetectProgress(texts, position, corpus.size))
    _check_unchanged(corpus.files, wanted)
    totals = {name: sum(getattr(r, name) for r in receipts.values()) for name in _TOTALS[:-1]}
    folder.finish(wanted, receipts.values(), totals | {"refused": refused.total()})


def _check_unchanged(files: Sequence[InputFile], wanted: DetectManifest) -> None:
    """Raises BadInput if a file is not the one whose checksum the manifest has."""
    for file, before in zip(files, wanted.inputs, strict=True):
        if file.path == STDIN:
            continue
        try:
            same = file.sha256() == before.sha256
        except (OSError, TropeError):
            same = False
        if not same:
            raise BadInput(
                f"{file.path}: changed while it was read, so that the results belong to no version "
                "of it; run again with another --out"
            )


def _texts(corpus: InputCorpus, errors: IO[bytes], refused: Counter[str]) -> Iterator[TextRow]:
    """The texts; what was refused goes into its file, anew in every attempt."""
    for entry in corpus:
        if isinstance(entry, RefusedRow):
            refused[entry.file] += 1
            place = {"file": entry.file, "line": entry.line, "problem": entry.problem}
            errors.write(msgspec.json.encode(place) + b"\n")
        else:
            yield entry
    errors.flush()


def _shards(texts: Iterator[TextRow], corpus: InputCorpus, size: int) -> Iterator[Shard]:
    """The texts in groups; the same texts make the same groups."""
    rows: list[TextRow] = []
    characters = number = 0
    for text in texts:
        rows.append(text)
        characters += len(text.text)
        if len(rows) == size or characters > SHARD_CHARACTERS:
            yield Shard(number, tuple(rows), corpus.position)
            rows, characters, number = [], 0, number + 1
    if rows:
        yield Shard(number, tuple(rows), corpus.position)


__all__ = ["ERRORS", "DetectProgress", "detect", "kept_columns"]
