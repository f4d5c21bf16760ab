import struct

import numpy as np
import pytest

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.lexicon.vectors import WordVectors, read_vectors


def check(vectors):
    assert len(vectors) == 2
    assert vectors.dimensions == 2
    np.testing.assert_allclose(vectors.get("sun"), [0.6, 0.8], atol=0.01)
    np.testing.assert_allclose(vectors.get("Moon"), [1, 0], atol=0.01)
    assert vectors.get("mars") is None
    assert "SUN" in vectors


@pytest.mark.parametrize("header", ["", "2 2\n"])
def test_text_with_and_without_header(tmp_path, header):
    path = tmp_path / "v.txt"
    path.write_text(header + "sun 3 4\nmoon 2 0\n")
    check(read_vectors(path))


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_binary_with_and_without_line_ends(tmp_path, end):
    path = tmp_path / "v.bin"
    rows = [b"sun " + struct.pack("<2f", 3, 4), b"moon " + struct.pack("<2f", 2, 0)]
    path.write_bytes(b"2 2\n" + b"".join(row + end for row in rows))
    check(read_vectors(path))


def test_npz_of_bytes_and_of_floats(tmp_path):
    words = np.frombuffer(b"sun\nmoon", dtype=np.uint8)
    np.savez(tmp_path / "q.npz", words=words, q=np.array([[75, 100], [127, 0]], dtype=np.int8),
             scale=np.array([0.1, 0.2], dtype=np.float32))  # fmt: skip
    np.savez(tmp_path / "v.npz", words=words, vectors=np.array([[3, 4], [2, 0.0]]))
    check(read_vectors(tmp_path / "q.npz"))
    check(read_vectors(tmp_path / "v.npz"))


@pytest.mark.parametrize(
    ("name", "content", "line", "words"),
    [
        ("v.txt", b"sun 3 4\nmoon 2\n", 2, "1 numbers"),
        ("v.txt", b"sun 3 4\nmoon 2 x\n", 2, "not a number"),
        ("v.txt", b"2 2\n", 1, "no word vectors"),
        ("v.bin", b"hello\n", 1, "two numbers"),
        ("v.bin", b"2 2\nsun " + struct.pack("<2f", 3, 4) + b"moon xx", None, "after 1 of 2"),
        ("v.npz", b"PK nonsense", None, "no word vectors"),
    ],
)
def test_bad_files_are_named(tmp_path, name, content, line, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadRecord, match=words) as told:
        read_vectors(path)
    assert (told.value.path, told.value.line) == (str(path), line)


def test_pickles_in_npz_are_refused(tmp_path):
    path = tmp_path / "v.npz"
    with path.open("wb") as file:
        np.savez(file, words=np.array([{"a": 1}], dtype=object), q=1)
    with pytest.raises(BadRecord, match="no word vectors"):
        read_vectors(path)


def test_missing_file_and_words_without_vectors(tmp_path):
    with pytest.raises(MissingData):
        read_vectors(tmp_path / "none.txt")
    with pytest.raises(BadInput, match="do not fit"):
        WordVectors(["sun"], [[1, 2], [3, 4]])
