import gzip
import hashlib
import http.server
import socket
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from trope.core.errors import DownloadFailed
from trope.corpora.download import Download, fetch, plan_download
from trope.corpora.metadata import load_corpora

CONTENT = b"# sent_id = 1\n" * 20_000


@dataclass
class Host:
    """A server on this machine: what it holds, how it misbehaves, what it was asked."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    break_after: int | None = None
    wrong_range: bool = False
    asked: list[str | None] = field(default_factory=list)


@pytest.fixture
def host():
    host = Host(files={"/a.txt": CONTENT})

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            wanted = self.headers.get("Range")
            host.asked.append(wanted)
            body = host.files.get(self.path)
            if body is None:
                self.send_error(404)
                return
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
            if wanted and host.ranges and start >= len(body):
                self.send_error(416)
                return
            if wanted and host.ranges:
                self.send_response(206)
                told = 0 if host.wrong_range else start
                self.send_header("Content-Range", f"bytes {told}-{len(body) - 1}/{len(body)}")
                body = body[start:]
            else:
                self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: host.break_after])

        def log_message(self, format, *arguments):  # noqa: A002
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    host.url = f"http://127.0.0.1:{server.server_port}"
    yield host
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    """A proxy of the machine must not come between the tests and their server."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def order(host, tmp_path, content=CONTENT, name="a.txt"):
    sha256 = hashlib.sha256(content).hexdigest()
    return Download(f"{host.url}/{name}", tmp_path / "toy" / name, sha256)


def part(one):
    return one.to.with_name(one.to.name + ".part")


def test_a_file_arrives_whole_and_its_progress_is_reported(host, tmp_path):
    seen = []
    one = order(host, tmp_path)
    fetch(one, report=lambda have, total: seen.append((have, total)))
    assert one.to.read_bytes() == CONTENT
    assert [path.name for path in one.to.parent.iterdir()] == ["a.txt"]
    assert seen[0] == (0, len(CONTENT))
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_an_altered_file_is_replaced(host, tmp_path):
    one = order(host, tmp_path)
    one.to.parent.mkdir()
    one.to.write_bytes(b"altered")
    fetch(one)
    assert one.to.read_bytes() == CONTENT


def test_a_broken_download_goes_on_where_it_stopped(host, tmp_path):
    one = order(host, tmp_path)
    host.break_after = 100_000
    with pytest.raises(DownloadFailed, match=r"broke after 100,000 of 280,000 bytes; run the same"):
        fetch(one)
    assert not one.to.exists()
    assert part(one).stat().st_size == 100_000
    host.break_after = None
    fetch(one)
    assert host.asked == [None, "bytes=100000-"]
    assert one.to.read_bytes() == CONTENT
    assert not part(one).exists()


def test_a_server_without_ranges_starts_again(host, tmp_path):
    one = order(host, tmp_path)
    host.ranges = False
    one.to.parent.mkdir()
    part(one).write_bytes(CONTENT[:5000])
    fetch(one)
    assert host.asked == ["bytes=5000-"]
    assert one.to.read_bytes() == CONTENT


def test_a_whole_part_is_accepted_without_another_byte(host, tmp_path):
    one = order(host, tmp_path)
    one.to.parent.mkdir()
    part(one).write_bytes(CONTENT)
    fetch(one)
    assert host.asked == [f"bytes={len(CONTENT)}-"]
    assert one.to.read_bytes() == CONTENT


@pytest.mark.parametrize("stale", [b"of another version", b"z" * (len(CONTENT) + 7)])
def test_a_part_of_another_version_is_thrown_away(host, tmp_path, stale):
    one = order(host, tmp_path)
    one.to.parent.mkdir()
    part(one).write_bytes(stale)
    fetch(one)
    assert host.asked == [f"bytes={len(stale)}-", None]
    assert one.to.read_bytes() == CONTENT


def test_a_wrong_checksum_leaves_nothing_behind(host, tmp_path):
    one = order(host, tmp_path, content=b"what was expected")
    with pytest.raises(DownloadFailed, match=r"has checksum \w{12}… instead of \w{12}…"):
        fetch(one)
    assert list(one.to.parent.iterdir()) == []


def test_a_missing_file_names_the_status_and_the_way_out(host, tmp_path):
    one = order(host, tmp_path, name="gone.txt")
    with pytest.raises(DownloadFailed, match=r"gone\.txt: the server answered 404 .* by hand"):
        fetch(one)
    assert not one.to.exists()


def test_another_part_than_asked_for_is_refused(host, tmp_path):
    one = order(host, tmp_path)
    one.to.parent.mkdir()
    part(one).write_bytes(CONTENT[:10])
    host.wrong_range = True
    with pytest.raises(DownloadFailed, match="another part than was asked for"):
        fetch(one)
    assert part(one).read_bytes() == CONTENT[:10]


def test_a_refused_connection_says_what_to_do(tmp_path):
    with socket.socket() as taken:  # and not listening: nobody else gets the port meanwhile
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/a.txt"
        with pytest.raises(
            DownloadFailed, match=r"is not reachable \(.*\); are you online\?"
        ) as caught:
            fetch(Download(url, tmp_path / "a.txt", "0" * 64))
    assert "\n" not in str(caught.value)


def test_a_server_that_never_answers_is_given_up(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/a.txt"
        with pytest.raises(DownloadFailed, match="did not answer in time"):
            fetch(Download(url, tmp_path / "a.txt", "0" * 64), timeout=0.05)


def test_a_folder_that_cannot_be_made_is_told(host, tmp_path):
    (tmp_path / "toy").write_text("a file where the folder should be")
    with pytest.raises(DownloadFailed, match=r"cannot be stored \(.*toy\); choose another"):
        fetch(order(host, tmp_path))


def test_only_http_is_fetched(tmp_path):
    with pytest.raises(DownloadFailed, match="is not an http address"):
        fetch(Download("file:///etc/hostname", tmp_path / "x", "0" * 64))


def test_packed_content_is_verified_unpacked(host, tmp_path):
    host.files["/a.txt"] = gzip.compress(CONTENT)
    one = order(host, tmp_path)
    fetch(one)
    assert gzip.decompress(one.to.read_bytes()) == CONTENT


def test_orders_unpack_names_but_mirrors_keep_them(tmp_path):
    corpus = load_corpora()["ewt"]
    train = next(file for file in corpus.files if "train" in file.name)
    direct = plan_download(corpus, train, tmp_path)
    assert direct.url.endswith("/UD_English-EWT/raw/15d613d8/en_ewt-ud-train.conllu")
    assert direct.to == tmp_path / "ewt" / "en_ewt-ud-train.conllu"
    mirrored = plan_download(corpus, train, tmp_path, "https://mirror.example/data/")
    assert mirrored.url == "https://mirror.example/data/ewt/en_ewt-ud-train.conllu.gz"
    assert mirrored.to == tmp_path / "ewt" / "en_ewt-ud-train.conllu.gz"


def test_files_without_an_address_are_not_ordered(tmp_path):
    corpus = load_corpora()["headlines"]
    assert plan_download(corpus, corpus.files[0], tmp_path) is None


@pytest.mark.parametrize("url", ["http://[::1", "ftp://host/a", "file:///etc/passwd", "http://"])
def test_address_that_is_none_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match="is not an http address"):
        fetch(Download(f"{url}/x", tmp_path / "x", "0" * 64))
