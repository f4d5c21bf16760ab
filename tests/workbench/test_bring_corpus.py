"""A corpus that a browser brings: chosen, dropped, refused, cancelled, interrupted."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import io
import json
import os
import re
import select
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from benches import Bench, start, stop
from small_corpus import trope

from chromium import axe_source, chromium, grave, new_page

pytest.importorskip("duckdb", reason="DuckDB is not installed (pip install 'trope[web]')")

from trope.core.errors import BadInput
from trope.workbench.corpus import bring
from trope.workbench.requests import BringChoices
from trope.workbench.web.bring_pages import safe_path

TEXT = "The new tax strangles small shops. Prices climbed."
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
WAIT = "; os.read(0, 1)"
STUCK = f"import trope.workbench.corpus.bring as b; b._CODE = {'import os' + WAIT!r}"
"""Python that makes the process of an analysis wait until the server ends, or ends it."""

Starter = Callable[..., Bench]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def bench(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    started = serve(cache, tmp_path_factory.mktemp("bring"), "--bring", "1")
    yield started
    stop(started)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Starter]:
    """Starts a workbench with a cache of this test."""
    started: list[Bench] = []

    def begin(*options: str, before: str = "") -> Bench:
        started.append(serve(tmp_path / "cache", tmp_path, *options, before=before))
        return started[-1]

    yield begin
    for each in started:
        stop(each)


def serve(cache: Path, folder: Path, *options: str, before: str = "") -> Bench:
    place = f"import os; os.environ['XDG_CACHE_HOME'] = {str(cache)!r}"
    return start(folder, *options, before=f"{place}\n{before}")


@pytest.fixture
def news(tmp_path: Path) -> Path:
    """A folder with texts, a table with an empty row, and a file that is not read."""
    folder = tmp_path / "news"
    (folder / "1920").mkdir(parents=True)
    (folder / "1920" / "may.txt").write_text(TEXT)
    (folder / "table.csv").write_text("id,text,source\n1,The storm ate the house.,A\n2,,B\n")
    (folder / "notes.bin").write_bytes(b"\1\2")
    return folder


def token(bench: Bench, path: str = "/corpus/bring") -> tuple[str, str]:
    """The cookie and the token of a form."""
    _, told, page = bench.ask("GET", path)
    found = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found, page.decode()
    return told["set-cookie"].partition(";")[0], found[1].decode()


def send(bench: Bench, files: dict[str, bytes], **fields: str) -> tuple[int, dict[str, str], bytes]:
    """Bring files as a browser without scripts does."""
    cookie, own = token(bench)
    parts = [
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in {"csrfmiddlewaretoken": own, **fields}.items()
    ]
    for name, content in files.items():
        head = f'--x\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    kind = "multipart/form-data; boundary=x"
    body = b"".join(parts) + b"--x--\r\n"
    return bench.ask("POST", "/corpus/bring", body, Cookie=cookie, Content_Type=kind)


def brought(bench: Bench, files: dict[str, bytes], **fields: str) -> str:
    """The address of the page of files that were brought."""
    status, told, content = send(bench, files, **fields)
    assert status == 302, content.decode()
    return told["location"]


def press(bench: Bench, path: str, action: str) -> int:
    cookie, own = token(bench, path)
    body = f"csrfmiddlewaretoken={own}&kind=plain".encode()
    kind = "application/x-www-form-urlencoded"
    return bench.ask("POST", f"{path}/{action}", body, Cookie=cookie, Content_Type=kind)[0]


def text_of(bench: Bench, path: str) -> str:
    return bench.ask("GET", path)[2].decode()


def opened_page(chromium: Any, bench: Bench, path: str, **options: Any) -> Any:
    page = new_page(chromium, **options)
    page.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    page.goto(f"{bench.url}{path}")
    return page


def ended(page: Any, words: str) -> Any:
    """The page once the analysis has ended in a way."""
    page.locator("#state", has_text=words).wait_for()
    return page


def press_until(page: Any, wanted: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({wanted!r})"):
            return
    raise AssertionError(f"{wanted} cannot be reached")


@pytest.mark.browser
def test_keys_alone_lead_from_a_folder_to_its_pages(
    chromium: Any, bench: Bench, cache: Path, news: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened_page(chromium, bench, "/corpus/")
    page.wait_for_url("**/corpus/bring")
    press_until(page, "[name=folder]")
    page.locator("[name=folder]").set_input_files(news)
    page.locator("#chosen", has_text="3 files").wait_for()
    press_until(page, "#send")
    page.keyboard.press("Enter")
    page.wait_for_url("**/corpus/bring/*-*")
    ended(page, "2 texts")
    told = page.locator("main").inner_text()
    assert "news/table.csv:3: column 'text' is empty" in told
    assert "news/notes.bin: skipped" in told
    press_until(page, "form[action$=open] button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/corpus/")
    assert page.locator("h1").inner_text() == "news"
    assert page.get_by_role("heading", name="Most frequent source domains").count() == 1
    for view in ("figures?kind=metonymy", "keyness", "rates?by=source", "domains"):
        assert bench.ask("GET", f"/corpus/{view}")[0] == 200
    (folder,) = (cache / "trope" / "brought").glob("*/news")
    monkeypatch.chdir(news.parent)
    more = ("--with", "metonymy,domains")
    trope("detect", "news", "--out", "out", "--shard-rows", "200", *more)
    assert (folder / "part-00000.jsonl").read_bytes() == Path("out/part-00000.jsonl").read_bytes()
    assert not (folder.parent / ".files").exists(), "the files go when they are analysed"


@pytest.mark.browser
def test_files_can_be_dropped_and_too_much_is_not_sent(chromium: Any, bench: Bench) -> None:
    page = opened_page(chromium, bench, "/corpus/bring")
    drop = """([name, size]) => {
      const files = new DataTransfer();
      files.items.add(new File(["Dogs bark. ".repeat(size)], name, {type: "text/plain"}));
      document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true}));
    }"""
    page.evaluate(drop, ["large.txt", 200_000])
    page.locator("#fault", has_text="2.2 MB, the limit is 1 MB").wait_for()
    page.locator("#send").click()
    assert page.url.endswith("/corpus/bring")
    page.evaluate(drop, ["small.txt", 3])
    page.locator("#chosen", has_text="small.txt").wait_for()
    page.wait_for_function("document.activeElement.id === 'send'")
    assert page.locator("#fault").is_hidden()
    page.keyboard.press("Enter")
    page.wait_for_url("**/corpus/bring/*-*")
    ended(page, "1 text")


@pytest.mark.browser
def test_pages_suit_a_phone_and_a_screen_reader(chromium: Any, bench: Bench) -> None:
    done, failed = brought(bench, {"a.txt": TEXT.encode()}), brought(bench, {"b.doc": b"\1"})
    for path, words in (("/corpus/bring", ""), (done, "1 text"), (failed, "could not")):
        page = opened_page(chromium, bench, path, **PHONE)
        if words:
            ended(page, words)
        assert grave(page, axe_source()) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
def test_page_of_an_analysis_works_without_scripts(chromium: Any, own: Starter) -> None:
    bench = own(before=STUCK)
    path = brought(bench, {"a.txt": TEXT.encode()})
    page = new_page(chromium, java_script_enabled=False, **PHONE)
    page.goto(f"{bench.url}{path}")
    assert page.locator("meta[http-equiv=refresh]").count() == 1
    page.get_by_role("button", name="Cancel").click()
    page.locator("#state", has_text="Was cancelled").wait_for()
    assert page.locator("meta[http-equiv=refresh]").count() == 0


@pytest.mark.browser
def test_column_can_be_named_after_a_failure(chromium: Any, bench: Bench) -> None:
    path = brought(bench, {"a.csv": b"a,b\nThe tax strangles shops.,1\n"})
    page = ended(opened_page(chromium, bench, path), "could not")
    assert "none of the columns holds the text: a, b; name it below" in page.inner_text(".fault")
    page.get_by_label("Column with the text").fill("a")
    page.get_by_role("button", name="Try again").click()
    ended(page, "1 text, ")


@pytest.mark.browser
def test_trying_again_waits_for_the_end_of_the_first(
    chromium: Any, own: Starter, tmp_path: Path
) -> None:
    ending = tmp_path / "ending"
    os.mkfifo(ending)
    lingers = "import sys; from trope.workbench.corpus.bring import work; work(sys.argv[1])"
    lingers += f"; open({str(ending)!r}).read()"
    bench = own(before=f"import trope.workbench.corpus.bring as b; b._CODE = {lingers!r}")
    path = brought(bench, {"a.csv": b"a,b\nThe tax strangles shops.,1\n"})
    page = ended(opened_page(chromium, bench, path), "could not")
    page.get_by_label("Column with the text").fill("a")
    page.get_by_role("button", name="Try again").click(no_wait_after=True)
    ending.open("w").close()  # the first process has failed, and ends only now
    ended(page, "1 text, ")


def test_deleting_a_corpus_whose_process_still_ends_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, ending = tmp_path / "told", tmp_path / "ending"
    for pipe in (told, ending):
        os.mkfifo(pipe)
    waits = f"open({str(told)!r}, 'w').close(); open({str(ending)!r}).close()"
    monkeypatch.setattr(bring, "_CODE", f"{bring._CODE}; {waits}")
    corpora = bring.BroughtCorpora(tmp_path / "brought", index=tmp_path / "index", limit=1_000_000)
    for _ in range(2):
        arrived = corpora.arriving_folder()
        (arrived / "old.doc").write_bytes(b"\1")
        name = corpora.add(arrived, BringChoices())
        told.read_text()  # waits until the process has said how it ended
        assert corpora.find(name).state == "failed"
        corpora.delete(name)
        ending.write_text("")  # only now it ends
    assert list(corpora) == []


@pytest.mark.browser
def test_archive_that_unpacks_to_too_much_is_refused(chromium: Any, bench: Bench) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "Dogs bark.\n" * 1_000_000)
    path = brought(bench, {"bomb.zip": packed.getvalue()})
    page = ended(opened_page(chromium, bench, path), "could not")
    assert "unpacks to more than 10 MB" in page.inner_text(".fault")
    assert page.inner_text(".fault").startswith("bomb.zip/a.txt: "), "names stay as they are"


@pytest.mark.browser
def test_what_is_looked_for_can_be_chosen(chromium: Any, bench: Bench, cache: Path) -> None:
    page = opened_page(chromium, bench, "/corpus/bring")
    page.locator("[name=files]").set_input_files(
        [{"name": "a.txt", "mimeType": "text/plain", "buffer": TEXT.encode()}]
    )
    page.get_by_label("names that stand for something else").uncheck()
    page.get_by_label("the sentiment of each text").check()
    page.locator("#send").click()
    page.wait_for_url("**/corpus/bring/*-*")
    ended(page, "1 text")
    own = cache / "trope" / "brought" / page.url.rpartition("/")[2]
    (manifest,) = own.glob("*/manifest.json")
    settings = json.loads(manifest.read_text())["settings"]
    assert settings["tasks"] == ["relations", "domains", "sentiment", "metaphor"]
    assert settings["domains"]


@pytest.mark.browser
def test_rows_of_files_without_texts_are_counted(chromium: Any, bench: Bench) -> None:
    path = brought(bench, {"empty.csv": b"text,date\n"})
    told = ended(opened_page(chromium, bench, path), "could not").inner_text("main")
    assert "1 row could not be used" in told
    assert "empty.csv:1: holds no text" in told


def test_one_at_a_time_and_a_cancelled_one_makes_room(own: Starter) -> None:
    bench = own(before=STUCK)
    first, second = (brought(bench, {name: TEXT.encode()}) for name in ("a.txt", "b.txt"))
    assert "1 other corpus is analysed first" in text_of(bench, second)
    assert press(bench, first, "delete") == 400, "it is not finished"
    assert press(bench, first, "cancel") == 302
    assert "was cancelled" in text_of(bench, first)
    assert "analysed first" not in text_of(bench, second)
    assert press(bench, second, "cancel") == 302
    assert press(bench, first, "delete") == 302
    assert bench.ask("GET", first)[0] == 404
    assert "b.txt" in text_of(bench, "/corpus/bring")


@pytest.mark.browser
def test_analysis_goes_on_after_the_server_was_killed(
    chromium: Any, own: Starter, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    tell = f"import os; print(os.getpid(), file=open({str(started)!r}, 'w'), flush=True)"
    bench = own(before=f"import trope.workbench.corpus.bring as b; b._CODE = {tell + WAIT!r}")
    path = brought(bench, {"a.txt": TEXT.encode()})
    analysis = int(started.read_text())  # waits until the analysis says its number
    watched = os.pidfd_open(analysis)
    worker = bench.worker()
    bench.process.kill()
    os.kill(worker, 9)
    assert select.select([watched], [], [], 120)[0], "the analysis ends with the server"
    os.close(watched)
    again = own()
    page = opened_page(chromium, again, path)
    assert "was interrupted" in text_of(again, "/corpus/bring")
    assert page.get_by_role("link", name="bring the files again").count() == 1
    page.get_by_role("button", name="Go on").click()
    ended(page, "1 text, ")


def test_longer_request_than_allowed_is_not_read(bench: Bench, cache: Path) -> None:
    before = sorted((cache / "trope" / "brought").glob("*"))
    status, _, content = send(bench, {"a.txt": b"a" * 1_000_001})
    assert status == 413
    assert b"the limit is 1,000,000" in content
    assert sorted((cache / "trope" / "brought").glob("*")) == before


def test_form_of_another_site_leaves_nothing(bench: Bench, cache: Path) -> None:
    before = sorted((cache / "trope" / "brought").glob("*"))
    body = (
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nx\r\n--x--'
    )
    kind = "multipart/form-data; boundary=x"
    assert bench.ask("POST", "/corpus/bring", body, Content_Type=kind)[0] == 403
    assert sorted((cache / "trope" / "brought").glob("*")) == before


def test_form_without_a_file_says_so(bench: Bench) -> None:
    status, _, content = send(bench, {})
    assert status == 400
    assert b"choose a file or a folder first" in content


@pytest.mark.parametrize("options", [("--bring", "0"), ("--host", "0.0.0.0")])
def test_nothing_is_brought_unless_it_is_allowed(own: Starter, options: tuple[str, ...]) -> None:
    bench = own(*options)
    known = {"Cookie": ""}
    if "--host" in options:
        secret = bench.link.rpartition("/")[2]
        known = {"Authorization": f"Bearer {secret}"}
    for method in ("GET", "POST"):
        status, _, content = bench.ask(method, "/corpus/bring", **known)
        assert status == 403
        assert b"--bring MB" in content
    assert b"No corpus is open" in bench.ask("GET", "/corpus/", **known)[2]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("letters\\may.txt", "letters/may.txt"),
        ("a/./b.txt", "a/b.txt"),
        ("-", "_"),
    ],
)
def test_names_stay_in_the_folder(tmp_path: Path, name: str, place: str) -> None:
    assert safe_path(tmp_path, name) == tmp_path / place


def test_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    assert safe_path(tmp_path, "a.txt") == tmp_path / "a-2.txt"


@pytest.mark.parametrize("name", ["", "..", "a\0b", "\ud800.txt", "x" * 300, "taken/b.txt"])
def test_names_that_no_folder_can_have_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(BadInput):
        safe_path(tmp_path, name)
