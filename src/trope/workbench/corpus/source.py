"""A folder of `trope detect`, checked before anything is read from it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from trope import __version__
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import sha256
from trope.core.run_folder import MANIFEST
from trope.corpora.tables import TEXT_COLUMNS, find_column
from trope.scale.folder import DetectFolder, DetectManifest

_SHOWN_INPUTS = 8


@dataclass(frozen=True, slots=True)
class CorpusSource:
    """A finished run of `trope detect`: where it is, what made it, and which columns it has."""

    folder: Path
    manifest: DetectManifest
    checksum: str

    @property
    def parts(self) -> list[Path]:
        """The files of figures, in order."""
        return [self.folder / shard.name for shard in self.manifest.shards]

    @property
    def tokens(self) -> bool:
        """Whether there are words with their scores."""
        return self.manifest.settings.tokens

    @property
    def relations(self) -> bool:
        """Whether there are verbs with their objects, whose lemmas stand among the words."""
        return self.tokens and "relations" in self.manifest.settings.tasks

    @property
    def text_column(self) -> str | None:
        """The kept column that holds the text, if one does."""
        settings = self.manifest.settings
        if settings.text_column:
            return settings.text_column if settings.text_column in settings.columns else None
        return find_column(settings.columns, TEXT_COLUMNS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The kept columns that say something about a text."""
        return tuple(name for name in self.manifest.settings.columns if name != self.text_column)

    def detect_again(self, *, relations: bool = False) -> str:
        """The command that makes the same folder anew, with everything that views need."""
        settings = self.manifest.settings
        inputs = [file.path for file in self.manifest.inputs]
        shown = inputs if len(inputs) <= _SHOWN_INPUTS else ["IN …"]
        columns = dict.fromkeys((*settings.columns, self.text_column or settings.text_column))
        kept = ",".join(filter(None, columns)) or "text"
        words = ["--out", f"{self.folder.name}-words", "--format", settings.format, "--tokens"]
        words += ["--columns", kept]
        tasks = [task for task in settings.tasks if task != "metaphor"]
        if relations and "relations" not in tasks:
            tasks.insert(0, "relations")
        words += ["--with", ",".join(tasks)] if tasks else []
        words += ["--kind", settings.kind] if settings.kind != "plain" else []
        for name in ("text", "id"):
            if column := getattr(settings, f"{name}_column"):
                words += [f"--{name}-column", column]
        words += [] if settings.threshold is None else ["--threshold", str(settings.threshold)]
        given = " ".join(shown) if shown == ["IN …"] else shlex.join(shown)
        return f"trope detect {given} {shlex.join(words)}"

    def check_parts(self) -> None:
        """Raises for a part that is missing or is not what was written."""
        for path, shard in zip(self.parts, self.manifest.shards, strict=True):
            remedy = "make it again: the same trope detect with --resume"
            if not path.is_file():
                raise MissingData(path, remedy)
            if sha256(path) != shard.sha256:
                raise BadRecord(path, None, f"is damaged or altered; {remedy}")


def read_source(folder: Path) -> CorpusSource:
    """The folder as a corpus.

    Raises:
        MissingData: there is no such folder.
        BadInput: it is not of trope detect, of another version of it, or not finished.
    """
    path = folder / MANIFEST
    if not folder.exists():
        raise MissingData(folder, "give a folder that trope detect wrote")
    if not path.is_file():
        problem = f"is no folder of trope detect ({MANIFEST} is missing)"
        raise BadInput(f"{folder}: {problem}; give the one named by its --out")
    manifest = DetectFolder(folder).manifest()
    made_by = manifest.settings.trope
    if _series(made_by) != _series(__version__):
        problem = f"was written by trope {made_by}, and this is {__version__}; detect it again"
        raise BadRecord(path, None, problem)
    if manifest.state != "done":
        problem = "is of a run that was not finished; go on with it: trope detect … --resume"
        raise BadRecord(path, None, problem)
    if not manifest.shards:
        raise BadRecord(path, None, "is of a run without texts; give it some")
    for shard in manifest.shards:
        if Path(shard.name).name != shard.name:
            raise BadRecord(path, None, f"names a part outside its folder ({shard.name!r})")
    return CorpusSource(folder, manifest, sha256(path))


def _series(version: str) -> list[str]:
    """The part of a version within which files stay readable."""
    return version.split(".")[:2]
