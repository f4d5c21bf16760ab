"""The text view without scripts: pasting, uploading, links, downloads, kept texts."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import csv
import io
import json
import re
import stat
from hashlib import sha256
from typing import Any

import pytest
from benches import TEXT, Bench, bench, printed

from own_files import FILES, protected, scan, workbook


class Visitor:
    """A browser without scripts."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        _, headers, page = bench.ask("GET", "/")
        self.cookie = headers["set-cookie"].partition(";")[0]
        token = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token
        self.token = token[1].decode()

    def send(self, path: str, file: tuple[str, bytes] | None = None, **fields: str) -> Any:
        """Send a form, with a file if there is one."""
        edge = "edge-of-a-part"
        body = b""
        for name, value in ({"csrfmiddlewaretoken": self.token} | fields).items():
            body += f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode()
            body += value.encode() + b"\r\n"
        if file is not None:
            body += (
                f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{file[0]}"'
                "\r\nContent-Type: text/plain\r\n\r\n"
            ).encode()
            body += file[1] + b"\r\n"
        body += f"--{edge}--\r\n".encode()
        kind = f"multipart/form-data; boundary={edge}"
        return self.bench.ask("POST", path, body, Cookie=self.cookie, Content_Type=kind)

    def paste(self, text: str, kind: str = "plain") -> str:
        """The address that a pasted text gets."""
        status, headers, _ = self.send("/", text=text, kind=kind)
        assert status == 302
        return headers["location"]


@pytest.fixture(scope="module")
def visitor(bench: Bench) -> Visitor:
    return Visitor(bench)


def test_link_is_the_checksum_of_the_text(bench: Bench, visitor: Visitor) -> None:
    address = visitor.paste(TEXT)
    assert address == f"/t/{sha256(TEXT.encode()).hexdigest()[:16]}"
    assert visitor.paste(TEXT) == address
    status, _, page = bench.ask("GET", address)
    assert status == 200
    assert b"strangles" in page
    assert bench.ask("GET", f"/t/{sha256(TEXT.encode()).hexdigest()}")[0] == 200


def test_line_ends_of_a_form_are_those_of_the_file(bench: Bench, visitor: Visitor) -> None:
    assert visitor.paste("One.\r\nTwo.") == visitor.paste("One.\nTwo.")
    status, headers, _ = visitor.send("/", file=("a.txt", b"\xef\xbb\xbfOne.\nTwo."), kind="plain")
    assert (status, headers["location"]) == (302, visitor.paste("One.\nTwo."))


def test_kept_text_is_a_file_that_others_cannot_read(bench: Bench, visitor: Visitor) -> None:
    visitor.paste("A text to keep.")
    path = bench.keep / f"{sha256(b'A text to keep.').hexdigest()}.txt"
    assert path.read_bytes() == b"A text to keep."
    assert stat.S_IMODE(bench.keep.stat().st_mode) == 0o700


def test_kept_texts_are_listed_and_deleted(bench: Bench, visitor: Visitor) -> None:
    one, other = visitor.paste("First of two texts."), visitor.paste("Second of two texts.")
    _, _, page = bench.ask("GET", "/kept")
    assert b"First of two texts." in page
    assert str(bench.keep).encode() in page
    assert visitor.send("/kept/delete", name=one.rpartition("/")[2])[0] == 302
    assert bench.ask("GET", one)[0] == 404
    assert bench.ask("GET", other)[0] == 200
    assert visitor.send("/kept/delete")[0] == 302
    assert b"No texts are saved." in bench.ask("GET", "/kept")[2]
    assert list(bench.keep.glob("*")) == []


def test_text_that_was_altered_is_told(bench: Bench, visitor: Visitor) -> None:
    address = visitor.paste("An honest text.")
    path = bench.keep / f"{sha256(b'An honest text.').hexdigest()}.txt"
    path.write_text("Another text.", encoding="utf-8")
    status, _, page = bench.ask("GET", address)
    assert status == 410
    assert b"was changed" in page
    path.unlink()


@pytest.mark.parametrize("name", ["0123456789abcdef", "0123", "..", "x" * 16, "%2e%2e%2fsecret"])
def test_link_that_leads_nowhere_is_told(bench: Bench, name: str) -> None:
    status, _, page = bench.ask("GET", f"/t/{name}")
    assert status == 404
    assert b"<h1>" in page


def test_downloads_are_what_the_commands_print(
    bench: Bench, visitor: Visitor, tmp_path: Any
) -> None:
    address = visitor.paste(TEXT)
    file = tmp_path / "text.txt"
    file.write_text(TEXT, encoding="utf-8")
    status, headers, content = bench.ask("GET", f"{address}.json")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert headers["content-disposition"].startswith("attachment")
    assert content.decode() == printed("analyze", "--json", TEXT)
    _, _, page = bench.ask("GET", f"{address}.html")
    told = printed("analyze", "--whole", "--format", "html", str(file))
    shown, wanted = (re.sub("<title>.*?</title>|<h[12].*?</h[12]>", "", each)
                     for each in (page.decode(), told))  # fmt: skip
    assert shown == wanted, "but for what it is called, the page is that of the command"


def test_table_of_words_says_what_the_analysis_says(bench: Bench, visitor: Visitor) -> None:
    text = "=cmd strangles the @shops."
    _, _, content = bench.ask("GET", f"{visitor.paste(text)}.csv")
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    tokens = json.loads(printed("analyze", "--json", text))["tokens"]
    assert [row["lemma"].removeprefix("'") for row in rows] == [t["lemma"] for t in tokens]
    assert [float(row["metaphor"]) for row in rows] == [t["metaphor"] for t in tokens]
    assert [int(row["head"]) for row in rows] == [t["head"] for t in tokens]
    assert not any(cell.startswith(("=", "@")) for row in rows for cell in row.values())


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (("empty.txt", b""), b"The text is empty"),
        (("blank.txt", b" \n\t "), b"The text is empty"),
        (("photo.txt", b"\x89PNG\x00\x01"), b"photo.txt:1: holds a NUL byte"),
        (("mixed.txt", b"\xe2\x82\xac\ncaf\xe9"), b"mixed.txt:2: is not UTF-8"),
        (("<script>.txt", b"\xff\x01"), b"&lt;script&gt;.txt:1: is not UTF-8"),
    ],
)
def test_file_that_is_no_text_is_named(
    visitor: Visitor, file: tuple[str, bytes], words: bytes
) -> None:
    status, _, page = visitor.send("/", file=file, kind="plain")
    assert status == 400
    assert words.lower() in page.lower()


@pytest.mark.parametrize("name", FILES)
def test_files_of_every_format_are_read(bench: Bench, visitor: Visitor, name: str) -> None:
    content, texts = FILES[name]
    status, headers, _ = visitor.send("/", file=(name, content), kind="plain")
    assert status == 302
    address = headers["location"].removeprefix("/t/")
    (saved,) = [path for path in bench.keep.iterdir() if path.name.startswith(address)]
    assert saved.read_text(encoding="utf-8").split() == " ".join(texts).split()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("scan.pdf", scan(), b"has no text on its 2 pages, only images"),
        ("locked.xlsx", protected(workbook()), b"is protected by a password"),
        ("old.doc", b"x", b".doc is not read; save it as .docx"),
        ("cut.zip", b"PK but no more", b"is a damaged zip file"),
    ],
)
def test_file_that_cannot_be_read_says_why(
    visitor: Visitor, name: str, content: bytes, words: bytes
) -> None:
    status, _, page = visitor.send("/", file=(name, content), kind="plain")
    assert status == 400
    assert words in page


def test_text_that_is_too_long_is_refused_and_not_kept(bench: Bench, visitor: Visitor) -> None:
    before = sorted(bench.keep.glob("*"))
    status, _, page = visitor.send("/", text="word " * 60_000, kind="plain")
    assert status == 413
    assert b"300,000 characters" in page
    assert sorted(bench.keep.glob("*")) == before


def test_kind_of_text_is_part_of_the_link(bench: Bench, visitor: Visitor) -> None:
    address = visitor.paste("Taxes stranglllle shops!!!!", kind="tweet")
    assert address.endswith("?kind=tweet")
    assert b"?kind=tweet&amp;word=1#panel" in bench.ask("GET", address)[2]
    assert bench.ask("GET", address.replace("tweet", "poem"))[0] == 400


def test_word_is_shown_without_scripts(bench: Bench, visitor: Visitor) -> None:
    address = visitor.paste(TEXT)
    _, _, page = bench.ask("GET", f"{address}?word=3")
    for words in (b"<bdi>strangle</bdi>", b"VERB", b"nsubj", b"obj", b"kept", b"<svg"):
        assert words in page
    _, _, page = bench.ask("GET", f"{address}?word=3&rewrite=1")
    assert page.count(b'<details class="rewriting"><summary>Say <bdi>strangles</bdi>') == 2
    for wrong, status in (("9999", 404), ("x", 400), ("-1", 400)):
        assert bench.ask("GET", f"{address}?word={wrong}")[0] == status


def test_relation_that_was_left_out_says_why(bench: Bench, visitor: Visitor) -> None:
    _, _, page = bench.ask("GET", f"{visitor.paste('The mayor denied it.')}?word=2")
    assert b"left out" in page
    assert b"the object is a pronoun" in page


def test_sentences_have_a_bar_each_and_names_their_reading(bench: Bench, visitor: Visitor) -> None:
    _, _, page = bench.ask("GET", visitor.paste("Siemens shed jobs. I love it! Dogs bark."))
    assert page.count(b'data-sentence="') == 3
    assert b"Names and their readings" in page
    assert b'<th scope="row">Siemens' in page
