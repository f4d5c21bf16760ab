"""VerbNet's classes of verbs, from the archive that its users have: it is not shipped."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from trope.core.errors import BadRecord, MissingData

VerbClasses = Mapping[str, tuple[str, ...]]
"""Lemma → names of classes, in alphabetical order."""

_MEMBER = re.compile(r"<MEMBER\s[^<>]*?\bname=\"([^\"<>]+)\"")
_MOST_BYTES = 5_000_000  # of one class; the largest has a fiftieth of that


def read_verbnet(path: str | Path) -> dict[str, tuple[str, ...]]:
    """The classes of every verb in an archive of VerbNet 3, one XML file per class.

    Only the names of members are read, as text; subclasses count as their class.

    Raises:
        MissingData: where there is no such file.
        BadRecord: where it is not an archive, or not one of VerbNet.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingData(path, "give the archive of VerbNet 3")
    found: dict[str, set[str]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if entry.filename.endswith(".xml") and entry.file_size <= _MOST_BYTES:
                    text = archive.read(entry).decode("utf-8", "replace")
                    for member in _MEMBER.findall(text):
                        name = PurePosixPath(entry.filename).stem
                        found.setdefault(member.replace("_", " "), set()).add(name)
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise BadRecord(path, None, f"is not a zip archive ({error}); give VerbNet 3's") from None
    if not found:
        raise BadRecord(path, None, "holds no class with members; give the archive of VerbNet 3")
    return {verb: tuple(sorted(classes)) for verb, classes in sorted(found.items())}
