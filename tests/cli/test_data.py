import functools
import hashlib
import http.server
import json
import subprocess
import sys
import threading

import pytest

from trope.cli.main import run
from trope.corpora.metadata import CorpusCatalogue, CorpusFile, CorpusMetadata, load_corpora

FILES = {"one.txt": b"Rents soar.\nHopes fade.\n", "sub/two.tsv": b"id\ttext\n1\tFear grows.\n"}


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def trope(capsys):
    """Runs the command: exit status, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as left:
            run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return call


def toy(name="toy", **changes):
    files = tuple(
        CorpusFile(
            name=file,
            bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            reader="lines" if file.endswith("txt") else "texts",
            counts={"lines": 2} if file.endswith("txt") else {"rows": 1},
        )
        for file, content in FILES.items()
    )
    values = {
        "name": name,
        "title": "Toy",
        "extent": "3 texts",
        "purpose": "tests",
        "source": "here",
        "licence": "CC0-1.0",
        "terms": "Free for all.",
        "citation": "Nobody (2024).",
        "files": files,
        "obtain": "write it yourself",
    }
    return CorpusMetadata(**(values | changes))


@pytest.fixture
def toys(monkeypatch, tmp_path):
    """A catalogue of two corpora, of which the folder holds the first."""
    small = CorpusCatalogue((toy(), toy("other")))
    monkeypatch.setattr("trope.cli.data.load_corpora", lambda: small)
    for name, content in FILES.items():
        path = tmp_path / "data" / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "data"


def test_the_list_has_one_line_a_corpus_within_80_columns(trope):
    status, out, _ = trope("data", "list")
    lines = out.splitlines()
    assert status == 0
    assert max(map(len, lines)) <= 80
    first_words = [line.split()[0] for line in lines if line.strip()]
    names = [corpus.name for corpus in load_corpora()]
    assert first_words[1 : len(names) + 1] == names


def test_the_list_as_json_is_one_document(trope):
    status, out, err = trope("data", "list", "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert document["trope"]
    ewt = document["corpora"][0]
    assert (ewt["name"], ewt["licence"], ewt["downloadable"]) == ("ewt", "CC-BY-SA-4.0", 3)


@pytest.mark.parametrize("name", [corpus.name for corpus in load_corpora()])
def test_info_fits_into_80_columns_and_tells_licence_and_citation(trope, name):
    status, out, _ = trope("data", "info", name)
    corpus = load_corpora()[name]
    assert status == 0
    assert max(len(line) for line in out.splitlines()) <= 80
    assert corpus.licence in out
    flat = " ".join(out.split())
    assert " ".join(corpus.terms.split()) in flat
    assert " ".join(corpus.citation.split()) in flat


def test_info_as_json_has_addresses_and_checksums(trope):
    _, out, _ = trope("data", "info", "gum", "--json")
    document = json.loads(out)
    assert document["name"] == "gum"
    for file in document["files"]:
        assert file["url"].startswith("https://github.com/UniversalDependencies/UD_English-GUM/")
        assert len(file["sha256"]) == 64
        assert file["licence"] == "CC-BY-NC-SA-4.0"


def test_an_unknown_corpus_is_bad_usage(trope):
    status, out, err = trope("data", "info", "emt")
    assert (status, out) == (2, "")
    assert err.startswith("trope: no corpus is called 'emt'. Did you mean 'ewt'?")
    assert err.count("\n") == 1


def test_check_of_a_complete_corpus_succeeds(trope, toys):
    status, out, err = trope("data", "check", "toy", "--from", toys)
    assert (status, err) == (0, "")
    assert "1 of 1 corpora are complete" in out


def test_check_tells_what_is_missing_and_what_differs(trope, toys):
    (toys / "toy" / "one.txt").write_bytes(b"Rents soar.\n")
    status, out, _ = trope("data", "check", "--from", toys)
    assert status == 1
    flat = " ".join(out.split())
    assert "one.txt: bytes: 12 instead of 24; lines: 1 instead of 2" in flat
    assert "other all 2 files missing; see: trope data info other" in flat
    assert "0 of 2 corpora are complete" in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_check_as_json_has_every_file(trope, toys):
    (toys / "toy" / "sub" / "two.tsv").unlink()
    status, out, _ = trope("data", "check", "toy", "--from", toys, "--json")
    document = json.loads(out)
    assert (status, document["equal"]) == (1, False)
    one, two = document["corpora"][0]["files"]
    assert (one["status"], one["counts"]) == ("equal", {"lines": 2})
    assert (two["status"], two["problems"]) == ("missing", ["see: trope data info toy"])


def test_check_of_no_folder_is_bad_input(trope, tmp_path):
    status, _, err = trope("data", "check", "--from", tmp_path / "nowhere")
    assert status == 2
    assert "nowhere: not found; give the folder that holds the corpora" in err


@pytest.fixture
def mirror(toys):
    """A server on this machine that serves the toy corpora."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format, *arguments):  # noqa: A002
            pass

    handler = functools.partial(Handler, directory=str(toys))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_get_from_a_mirror_gives_a_corpus_that_checks(trope, mirror, tmp_path):
    target = tmp_path / "new"
    status, out, err = trope("data", "get", "toy", "--to", target, "--mirror", mirror)
    assert status == 0
    assert out.count("downloaded") == 2
    assert "CC0-1.0. Free for all." in err
    assert trope("data", "check", "toy", "--from", target)[0] == 0
    _, out, _ = trope("data", "get", "toy", "--to", target, "--mirror", mirror, "--json")
    statuses = [file["status"] for file in json.loads(out)["files"]]
    assert statuses == ["already there", "already there"]


def test_get_is_quiet_when_asked(trope, mirror, tmp_path):
    _, _, err = trope("--quiet", "data", "get", "toy", "--to", tmp_path / "q", "--mirror", mirror)
    assert err == ""


def test_get_of_what_the_mirror_lacks_fails_in_one_line(trope, mirror, tmp_path):
    arguments = ("data", "get", "other", "--to", tmp_path / "new", "--mirror", mirror)
    status, out, err = trope("--quiet", *arguments)
    assert (status, out) == (2, "")
    assert "/other/one.txt: the server answered 404" in err
    assert err.count("\n") == 1


def test_get_of_what_cannot_be_downloaded_says_how_to_obtain_it(trope, tmp_path):
    status, _, err = trope("data", "get", "tweets-brexit", "--to", tmp_path)
    assert status == 2
    assert "tweets-brexit cannot be downloaded; take the ids from doi:10.7910/DVN/KP4XRP" in err


def test_get_of_a_part_tells_what_is_left_and_returns_1(trope, toys, mirror, monkeypatch, tmp_path):
    first, second = toy().files
    partly = toy(
        files=(CorpusFile(**{**_values(first), "remote": "toy/one.txt"}), second), download=mirror
    )
    monkeypatch.setattr("trope.cli.data.load_corpora", lambda: CorpusCatalogue((partly,)))
    status, out, _ = trope("data", "get", "toy", "--to", tmp_path / "new")
    assert status == 1
    assert "sub/two.tsv: write it yourself" in " ".join(out.split())
    assert (tmp_path / "new" / "toy" / "one.txt").read_bytes() == FILES["one.txt"]


def _values(file):
    return {name: getattr(file, name) for name in CorpusFile.__dataclass_fields__}


def test_help_of_the_whole_command_reads_no_catalogue():
    code = (
        "import sys\n"
        "from trope.cli.main import run\n"
        "try: run(['--help'])\n"
        "except SystemExit: pass\n"
        "assert 'trope.cli.data' not in sys.modules and 'rich' not in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
