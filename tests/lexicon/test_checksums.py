"""The lexica that ship are those whose checksums ship with them."""

from hashlib import sha256
from pathlib import Path

from trope import lexicon

FOLDER = Path(lexicon.__file__).parent
SUMS = FOLDER / "SHA256SUMS"


def test_every_lexicon_is_as_its_checksum_says() -> None:
    """After a change, write the output of `sha256sum`, run in that folder, into SHA256SUMS."""
    listed = dict(reversed(line.split("  ", 1)) for line in SUMS.read_text("utf-8").splitlines())
    there = {
        path.relative_to(FOLDER).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in FOLDER.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc") and path != SUMS
    }
    assert there == listed
