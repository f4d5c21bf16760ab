import gzip
import io
import os
import threading
from itertools import islice
from pathlib import Path

import pytest

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.corpora import encodings
from trope.corpora.sources import numbered_lines, open_source, read_lines


def test_lines_are_numbered_and_lose_only_their_ends():
    stream = io.BytesIO("one \r\ntwo\u2028still two\n\nfour".encode())
    assert list(numbered_lines(stream)) == [
        (1, "one "),
        (2, "two\u2028still two"),
        (3, ""),
        (4, "four"),
    ]


def test_packed_content_is_unpacked_from_files_and_streams_whatever_the_name(tmp_path):
    packed = gzip.compress(b"first\nsecond\n")
    path = tmp_path / "no-ending"
    path.write_bytes(packed)
    expected = [(1, "first"), (2, "second")]
    assert list(numbered_lines(path)) == expected
    assert list(numbered_lines(io.BytesIO(packed))) == expected


def test_standard_input_is_read_for_a_dash(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"from the pipe\n")))
    assert list(numbered_lines("-")) == [(1, "from the pipe")]


def test_faults_of_standard_input_name_it(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"fine\n\xff\n")))
    with pytest.raises(BadRecord, match=r"^standard input:2: is not UTF-8 \(byte 0xff\)"):
        list(numbered_lines("-"))


def test_a_stream_stays_open_for_its_owner():
    stream = io.BytesIO(b"line\n")
    list(numbered_lines(stream))
    assert not stream.closed


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"", 1, "is empty"),
        (b"fine\nbroken \xe9\n", 2, "is not UTF-8 (byte 0xe9)"),
        (b"fine\n" + "später\n".encode("latin-1"), 2, "is not UTF-8"),
        (b"fine\n\nzero\0\n", 3, "holds a NUL byte"),
        (b"\x7fELF\x02\x01\x01\0\0\0", 1, "holds a NUL byte"),
        ("utf-16".encode("utf-16"), 1, ""),
        (gzip.compress(b"many words\n" * 1000, mtime=0)[:-20], None, "is a damaged gzip file"),
        (b"\x1f\x8b not gzip at all", 1, "is a damaged gzip file"),
    ],
)
def test_what_is_no_text_is_refused_at_its_line(tmp_path, content, line, problem):
    path = tmp_path / "input.txt"
    path.write_bytes(content)
    with pytest.raises(BadRecord) as caught:
        list(numbered_lines(path))
    assert caught.value.path == str(path)
    assert problem in caught.value.problem
    if line is not None:
        assert caught.value.line == line


def test_a_byte_order_mark_is_dropped_at_the_start_only():
    stream = io.BytesIO(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")
    assert list(numbered_lines(stream)) == [(1, "a"), (2, "\ufeffb")]


def test_a_line_of_one_megabyte_is_read_whole():
    stream = io.BytesIO(b"x" * 1_000_000 + b"\nend")
    (_, first), (_, last) = numbered_lines(stream)
    assert (len(first), last) == (1_000_000, "end")


def test_an_absurd_line_is_refused_before_it_fills_the_memory():
    class Endless(io.RawIOBase):
        given = 0

        def readable(self):
            return True

        def readinto(self, buffer):
            self.given += len(buffer)
            buffer[:] = b"x" * len(buffer)
            return len(buffer)

    stream = Endless()
    with pytest.raises(BadRecord, match=r"input:1: is longer than 2 MB"):
        list(numbered_lines(stream, limit=2 * 1024**2))
    assert stream.given < 3 * 1024**2


def test_the_limit_is_64_megabytes():
    assert encodings.LINE_LIMIT == 64 * 1024**2


def test_other_encodings_are_read_when_named():
    stream = io.BytesIO("naïve – schön\n".encode("cp1252"))
    assert list(numbered_lines(stream, encoding="cp1252")) == [(1, "naïve – schön")]


def test_an_unknown_encoding_is_named():
    with pytest.raises(BadInput, match="there is no encoding 'klingon'"):
        list(numbered_lines(io.BytesIO(b"x\n"), encoding="klingon"))


def test_what_does_not_fit_the_named_encoding_is_refused_at_its_line():
    with pytest.raises(BadRecord, match=r"input:2: is not ascii \(byte 0xc3\)"):
        list(numbered_lines(io.BytesIO("a\né\n".encode()), encoding="ascii"))


def test_a_named_pipe_is_read_like_a_file(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(gzip.compress(b"flows\n"),))
    writer.start()
    assert list(numbered_lines(path)) == [(1, "flows")]
    writer.join()


def test_a_file_that_may_not_be_opened_is_refused_with_the_cause(tmp_path, monkeypatch):
    def refuse(path, mode):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(BadInput, match=r"locked: cannot be opened \(Permission denied\)"):
        list(numbered_lines(tmp_path / "locked"))


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(MissingData, match="not found"), open_source(tmp_path / "nowhere"):
        pass
    with pytest.raises(BadInput, match="is a directory"), open_source(tmp_path):
        pass


def test_half_a_character_at_the_end_is_one_fault(tmp_path: Path) -> None:
    """UTF-16 that was cut off, and lines of old Macintosh programs: the reading ends."""
    for content, encoding in ((b"\xff\xfea\0\n\0b", None), (b"a\rb\xe2\x82", "utf-8")):
        (tmp_path / "a.txt").write_bytes(content)
        lines = list(islice(read_lines(tmp_path / "a.txt", encoding=encoding), 10))
        assert len(lines) == 2
        assert lines[1].fault


def test_zeros_in_the_middle_make_no_other_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"plain\n" + "é\n".encode("utf-16-le") * 20)
    assert len(list(read_lines(tmp_path / "a.txt"))) > 2
