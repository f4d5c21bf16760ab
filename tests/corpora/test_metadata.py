import re

import pytest

from trope.catalog import READERS
from trope.core.errors import BadConfig, MissingData, UnknownName
from trope.corpora.checks import COUNTERS
from trope.corpora.metadata import CORPORA_FILE, load_corpora, read_corpora

CORPORA = {corpus.name: corpus for corpus in load_corpora()}

ENTRY = """
[[corpora]]
name = "toy"
title = "Toy"
extent = "2 texts"
purpose = "tests"
source = "here"
licence = "CC0-1.0"
terms = "Free."
citation = "Nobody (2024)."
download = "https://example.org/toy"
files = [{{ name = "{name}", bytes = 1, sha256 = "{sha}", remote = "a.txt"{more} }}]
"""


def written(tmp_path, name="a.txt", sha="0" * 64, more="", times=1):
    path = tmp_path / "corpora.toml"
    path.write_text(ENTRY.format(name=name, sha=sha, more=more) * times)
    return path


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
def test_every_corpus_says_whose_it_is_and_how_to_get_it(corpus):
    assert corpus.files
    assert re.search(r"\(\d{4}\)", corpus.citation)
    assert corpus.licence.strip()
    assert corpus.terms.endswith(".")
    assert corpus.obtain or len(corpus.downloadable) == len(corpus.files)


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
def test_every_file_has_a_checksum_a_size_and_a_licence(corpus):
    for file in corpus.files:
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert file.bytes > 0
        assert file.licence or corpus.licence != "per file"


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
def test_every_file_with_a_reader_has_a_count_that_the_reader_makes(corpus):
    units = {"conllu": "sentences", "documents": "documents", "lines": "lines"}
    units |= dict.fromkeys(("semeval2007", "semeval2007-tagged", "semeval2007-standoff"), "samples")
    units |= dict.fromkeys(("relocar", "wimcor", "geowebnews"), "samples")
    units |= dict.fromkeys(("tagged-tokens", "uner"), "sentences")
    units["semeval2007-roles"] = "lines"
    for file in corpus.files:
        if file.reader:
            assert file.counts[units.get(file.reader, "rows")] > 0


def test_every_reader_can_be_loaded_and_counted():
    for name in READERS:
        assert callable(READERS.load(name))
    assert set(COUNTERS) == set(READERS)


def test_addresses_are_pinned_to_a_commit():
    for corpus in CORPORA.values():
        for file in corpus.downloadable:
            assert re.search(r"/raw/[0-9a-f]{7,40}/", corpus.address(file))


def test_non_commercial_corpora_say_so():
    for corpus in CORPORA.values():
        if "-NC-" in corpus.licence:
            assert "non-commercial" in corpus.terms.lower()


def test_the_catalogue_is_read_from_beside_the_module():
    assert CORPORA_FILE.is_file()
    assert load_corpora()["ewt"].title == "UD English EWT 2.16"


def test_an_unknown_corpus_names_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'tweebank'"):
        load_corpora()["twebank"]


def test_all_faults_are_reported_at_once(tmp_path):
    path = written(tmp_path, name="../a.txt", sha="beef", more=', reader = "magic"', times=2)
    with pytest.raises(BadConfig) as caught:
        read_corpora(path)
    text = str(caught.value)
    for part in ("more than once", "64 hexadecimal", "'magic'", "inside the corpus's folder"):
        assert part in text


def test_faults_of_shape_are_reported_with_their_place(tmp_path):
    path = written(tmp_path, more=', bites = 2, counts = { rows = "many" }')
    with pytest.raises(BadConfig) as caught:
        read_corpora(path)
    assert len(caught.value.faults) == 2
    assert "corpora[0].files[0].bites" in str(caught.value)
    assert "corpora[0].files[0].counts.rows" in str(caught.value)


def test_files_are_found_packed_or_not(tmp_path):
    corpus = load_corpora()["ewt"]
    (tmp_path / "ewt").mkdir()
    with pytest.raises(MissingData, match="run: trope data get ewt --to"):
        corpus.find("en_ewt-ud-train.conllu.gz", tmp_path)
    plain = tmp_path / "ewt" / "en_ewt-ud-train.conllu"
    plain.write_text("x")
    assert corpus.find("en_ewt-ud-train.conllu.gz", tmp_path) == plain
    packed = plain.with_name("en_ewt-ud-train.conllu.gz")
    packed.write_bytes(b"x")
    assert corpus.find("en_ewt-ud-train.conllu.gz", tmp_path) == packed


def test_a_file_that_no_corpus_has_is_refused():
    with pytest.raises(UnknownName, match="file of gum"):
        load_corpora()["gum"].find("en_gum-ud-train.conllu", ".")
