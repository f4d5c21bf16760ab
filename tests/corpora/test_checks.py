import gzip
import hashlib
import re
from itertools import islice

import pytest

from trope.core.errors import BadInput
from trope.corpora.checks import check_file, content_digest, present
from trope.corpora.conllu import read_conllu
from trope.corpora.metadata import CorpusFile, CorpusMetadata, load_corpora
from trope.corpora.tables import read_texts

CONTENT = b"id\ttext\n1\tShares sink\n2\tHopes fade\n"


def toy(**changes):
    values = {
        "name": "toy.tsv.gz",
        "bytes": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
        "reader": "texts",
        "counts": {"rows": 2, "laughs": 7},
    }
    file = CorpusFile(**(values | changes))
    return CorpusMetadata(
        name="toy",
        title="Toy",
        extent="2 texts",
        purpose="tests",
        source="here",
        licence="CC0-1.0",
        terms="Free.",
        citation="Nobody (2024).",
        files=(file,),
        obtain="write it",
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.tsv.gz").write_bytes(gzip.compress(CONTENT))
    return tmp_path


def report(corpus, folder):
    (file,) = corpus.files
    return check_file(corpus, file, folder)


def test_an_equal_file_is_counted_by_its_reader(folder):
    found = report(toy(), folder)
    assert (found.status, found.problems, found.counts) == ("equal", (), (("rows", 2),))


def test_packing_does_not_matter(folder):
    (folder / "toy" / "toy.tsv.gz").unlink()
    (folder / "toy" / "toy.tsv").write_bytes(CONTENT)
    assert report(toy(), folder).status == "equal"


def test_a_missing_file_says_what_to_do(tmp_path):
    found = report(toy(), tmp_path)
    assert (found.status, found.problems) == ("missing", ("see: trope data info toy",))


def test_other_counts_are_told_even_if_the_checksum_is_right(folder):
    found = report(toy(counts={"rows": 1_002}), folder)
    assert (found.status, found.problems) == ("differs", ("rows: 2 instead of 1,002",))


def test_altered_content_is_told_by_checksum(folder):
    altered = CONTENT.replace(b"fade", b"rise")
    (folder / "toy" / "toy.tsv.gz").write_bytes(gzip.compress(altered))
    found = report(toy(), folder)
    assert found.status == "differs"
    assert found.problems[0].startswith("checksum: ")


def test_cut_content_is_told_by_size_and_counts(folder):
    (folder / "toy" / "toy.tsv.gz").write_bytes(gzip.compress(CONTENT[:-13]))
    assert report(toy(), folder).problems == (
        f"bytes: {len(CONTENT) - 13} instead of {len(CONTENT)}",
        "rows: 1 instead of 2",
    )


def test_content_that_cannot_be_read_is_told_with_its_line(folder):
    (folder / "toy" / "toy.tsv.gz").write_bytes(gzip.compress(b"id\ttext\n1\n"))
    assert report(toy(), folder).problems[-1].startswith("line 2: the number of fields is 1")


def test_a_damaged_archive_is_told(folder):
    path = folder / "toy" / "toy.tsv.gz"
    path.write_bytes(path.read_bytes()[:-9])
    assert "damaged gzip file" in report(toy(), folder).problems[0]
    with pytest.raises(BadInput, match="damaged gzip file"):
        content_digest(path)


def test_only_the_right_file_counts_as_present(folder):
    corpus = toy()
    path = folder / "toy" / "toy.tsv.gz"
    assert present(corpus, corpus.files[0], folder) == path
    path.write_bytes(gzip.compress(b"other"))
    assert present(corpus, corpus.files[0], folder) is None
    path.write_bytes(path.read_bytes()[:-5])
    assert present(corpus, corpus.files[0], folder) is None
    path.unlink()
    assert present(corpus, corpus.files[0], folder) is None


COUNTED_IN_FULL = (
    "emobank",
    "figures",
    "idiom-sentences",
    "lcc-domains",
    "meta4xnli",
    "metonymy",
    "names",
)
WITH_METAPHORS = ("vua18", "naacl2018", "moh", "tsv", "lcc", "newsmet")


@pytest.mark.shared
@pytest.mark.parametrize("name", [corpus.name for corpus in load_corpora()])
def test_the_research_data_is_what_the_catalogue_says(shared, name):
    corpus = load_corpora()[name]
    found = [check_file(corpus, file, shared / "data") for file in corpus.files]
    assert [r for r in found if r.status != "equal"] == []
    if name in COUNTED_IN_FULL:
        assert [dict(r.counts) for r in found] == [file.counts for file in corpus.files]
    if name in WITH_METAPHORS:
        assert sum(dict(r.counts).get("metaphors", 0) for r in found) > 0


def test_sets_with_more_to_check_are_in_the_catalogue():
    assert {*COUNTED_IN_FULL, *WITH_METAPHORS} <= {corpus.name for corpus in load_corpora()}


@pytest.mark.shared
def test_the_catalogue_leaves_out_no_file(shared):
    described = {f"{c.name}/{f.name}" for c in load_corpora() for f in c.files}
    folders = [p for p in (shared / "data").iterdir() if p.is_dir() and p.name != "catalogue"]
    there = {
        str(path.relative_to(shared / "data"))
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert there == described


@pytest.mark.shared
@pytest.mark.parametrize("name", ["ewt", "gum", "tweebank"])
def test_every_token_of_the_treebanks_stands_in_its_text(shared, name):
    corpus = load_corpora()[name]
    for file in corpus.files:
        for sentence in read_conllu(corpus.find(file.name, shared / "data")):
            spans = sentence.token_spans()
            assert len(spans) == len(sentence.tokens)


@pytest.mark.shared
@pytest.mark.parametrize(("name", "ids"), [("headlines", r"h\d+"), ("tweets-brexit", r"\d{18,19}")])
def test_headlines_and_tweets_are_read_by_the_table_reader(shared, name, ids):
    corpus = load_corpora()[name]
    records = islice(read_texts(corpus.find(corpus.files[0].name, shared / "data")), 1000)
    for record in records:
        assert re.fullmatch(ids, record.id)
        assert record.text.strip()
        assert len(record.fields) == 3
