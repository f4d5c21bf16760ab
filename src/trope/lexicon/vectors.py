"""Static word vectors: one vector per word, from any of the usual files.

- text: a word and its numbers per line, with or without a first line "words dimensions"
  (GloVe, word2vec, fastText);
- `.bin`: word2vec's binary format;
- `.npz`: arrays `words` (UTF-8 bytes, one per line), `q` (int8) and `scale` (a factor per word), or
  `words` and `vectors`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import open_binary, read_lines

Array = npt.NDArray[np.float32]


class Vectors(Protocol):
    """Anything that has vectors of words: a file, or the lowest layer of an encoder."""

    def get(self, word: str) -> Array | None:
        """The word's vector, of length 1; None where there is none."""


class WordVectors:
    """Words and their vectors, all of length 1; a word that is not there has none."""

    def __init__(self, words: Sequence[str], vectors: npt.ArrayLike) -> None:
        table = np.asarray(vectors, dtype=np.float32)
        if table.ndim != 2 or len(table) != len(words):
            raise BadInput(f"{len(words)} words do not fit vectors of shape {table.shape}")
        lengths = np.linalg.norm(table, axis=1, keepdims=True)
        self._vectors: Array = (table / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        self._lengths: Array = lengths[:, 0]
        self._rows = {word: row for row, word in reversed(list(enumerate(words)))}

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self._vectors.shape[1])

    @property
    def words(self) -> tuple[str, ...]:
        """The words in the order of their file."""
        return tuple(sorted(self._rows, key=self._rows.__getitem__))

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, word: str) -> bool:
        return self._row(word) is not None

    def get(self, word: str) -> Array | None:
        """The word's vector, as it is spelt or in lower case; None where there is none."""
        row = self._row(word)
        return None if row is None else self._vectors[row]

    def length_of(self, word: str) -> float:
        """How long the word's vector was in its file; 0 where there is none."""
        row = self._row(word)
        return 0.0 if row is None else float(self._lengths[row])

    def _row(self, word: str) -> int | None:
        row = self._rows.get(word)
        return self._rows.get(word.lower()) if row is None else row


SHIPPED = Path(__file__).parent / "vectors.npz"
"""24,000 frequent words in 128 dimensions, distilled by `trope train vectors`."""


def read_vectors(path: str | Path = SHIPPED) -> WordVectors:
    """The vectors of a file, whose suffix gives its format; without one, those that ship.

    Raises:
        MissingData: where there is no such file.
        BadRecord: where it holds no vectors, with the line where one can be named.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingData(path, "give a file of word vectors (GloVe, word2vec or npz)")
    if path.suffix == ".npz":
        return _read_npz(path)
    if path.suffix == ".bin":
        return _read_binary(path)
    return _read_text(path)


def _read_npz(path: Path) -> WordVectors:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            words = bytes(arrays["words"]).decode("utf-8").split("\n")
            if "vectors" in arrays:
                return WordVectors(words, arrays["vectors"])
            return WordVectors(words, arrays["q"].astype(np.float32) * arrays["scale"][:, None])
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise BadRecord(path, None, f"holds no word vectors ({error})") from None


def _read_text(path: Path) -> WordVectors:
    words: list[str] = []
    vectors: list[Array] = []
    for line, text in read_lines(path):
        word, *numbers = text.rstrip().split(" ")
        if line == 1 and len(numbers) == 1:
            continue  # word2vec says first how many there are
        try:
            vector = np.array(numbers, dtype=np.float32)
        except ValueError:
            raise BadRecord(
                path, line, "has something that is not a number after its word"
            ) from None
        if vectors and len(vector) != len(vectors[0]):
            problem = f"has {len(vector)} numbers, but the lines before have {len(vectors[0])}"
            raise BadRecord(path, line, problem)
        words.append(word)
        vectors.append(vector)
    if not vectors or not len(vectors[0]):
        raise BadRecord(path, 1, "holds no word vectors; give a word and its numbers per line")
    return WordVectors(words, np.vstack(vectors))


def _read_binary(path: Path) -> WordVectors:
    with open_binary(path) as file:
        header = file.readline(100).split()
        if len(header) != 2 or not all(part.isdigit() for part in header):
            raise BadRecord(path, 1, "does not begin with two numbers, as word2vec's files do")
        count, dimensions = int(header[0]), int(header[1])
        words: list[str] = []
        vectors: list[Array] = []
        for _ in range(count):
            words.append(_binary_word(file))
            raw = file.read(4 * dimensions)
            if len(raw) != 4 * dimensions:
                raise BadRecord(path, None, f"ends after {len(vectors)} of {count} words")
            vectors.append(np.frombuffer(raw, dtype="<f4"))
    if not vectors:
        raise BadRecord(path, 1, "holds no words")
    return WordVectors(words, np.vstack(vectors))


def _binary_word(file: BinaryIO) -> str:
    letters = bytearray()
    while (letter := file.read(1)) not in (b" ", b""):
        if letter != b"\n":  # some writers end a vector with a line break
            letters += letter
    return letters.decode("utf-8", errors="replace")
