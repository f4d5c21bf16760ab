"""Where silver texts come from: files, labels of sentences, the literal stand-in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hub_folder
from trope.core.errors import BadRecord, MissingData, UnknownName
from trope.core.files import sha256
from trope.corpora.conceptual_metaphors import read_master_list, read_metanet_examples
from trope.tasks.metaphor.silver_sources import (
    gather_texts,
    lines_to_predict,
    literal_stand_in,
    newsmet_headlines,
    running_text,
)


@pytest.fixture
def data(tmp_path):
    return hub_folder.write_corpora(tmp_path / "data")


def test_every_corpus_becomes_sentences_with_one_label(data):
    gathered = gather_texts(data)
    labels = {}
    for item in gathered.texts:
        labels.setdefault(item.source, []).append(item.metaphor)
    assert labels["vuamc"] == [True, False, True]
    assert labels["metanet"] == [True]
    assert labels["master-metaphor-list"] == [True, True]
    assert labels["moh"] == [True, False]
    assert len(labels["lcc"]) == 32  # the test part stays a test part
    assert gathered.files["moh/Data-metaphoric-or-literal.txt"] == sha256(
        data / "moh/Data-metaphoric-or-literal.txt"
    )


def test_trofi_is_used_where_its_file_is_given(data, tmp_path):
    base = tmp_path / "base.txt"
    base.write_text(
        "***melt***\n*nonliteral cluster*\nwsj1:1\tN\tTheir hopes melted away ./.\n"
        "wsj1:2\tU\tThe pledge melted ./.\n"
    )
    gathered = gather_texts(data, ["trofi"], trofi=base)
    assert [(i.text, i.metaphor) for i in gathered.texts] == [("Their hopes melted away.", True)]
    with pytest.raises(UnknownName, match="'trofi'"):
        gather_texts(data, ["trofi"])


def test_faults_of_the_request_are_named(data):
    with pytest.raises(UnknownName, match="no set of labelled sentences is called 'lccc'"):
        gather_texts(data, ["lccc"])
    (data / "lcc/dev.csv").unlink()
    with pytest.raises(MissingData, match=r"dev\.csv: not found"):
        gather_texts(data, ["lcc"])


def test_stand_in_has_no_word_that_is_often_metaphorical(data):
    assert [item.text for item in literal_stand_in(data).texts] == ["The boy bought two apples."]
    path = data / "vua18/VUA_seq_formatted_train.csv"
    path.write_text(path.read_text().replace("bites", "bought"))
    assert literal_stand_in(data).texts == ()


def test_what_is_predicted_has_no_labels(data):
    lines = lines_to_predict(data).splitlines()
    assert len(lines) == 2 + 2 + 8 + 8
    assert all("label" not in line for line in lines)
    assert len(newsmet_headlines(data, "train", reading="accepted_only")[0]) == 4


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("We do n't know , he said .", "We don't know, he said."),
        ("It 's ( almost ) £ 5 !", "It's (almost) £5!"),
        ("A ' quoted ' word", "A ' quoted ' word"),
    ],
)
def test_words_are_put_together_as_people_write(words, text):
    assert running_text(words.split()) == text


@given(st.lists(st.text("ab,.(n't£", min_size=1), max_size=8))
def test_only_blanks_go(words):
    assert running_text(words).replace(" ", "") == "".join(words)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not JSON"),
        ('[{"examples": "one"}]', "a list of examples"),
        ('[{"Examples": [7]}]', "the example 7"),
        ('[{"Examples": [" "]}]', "the example ' '"),
    ],
)
def test_unsound_list_of_conceptual_metaphors(tmp_path, content, words):
    path = tmp_path / "list.json"
    path.write_text(content)
    with pytest.raises(BadRecord, match=words):
        list(read_master_list(path))


def test_empty_sentence_of_metanet(tmp_path):
    path = tmp_path / "metanet.tsv"
    path.write_text("#Source\t#Target\t#Sentence\nfire\thope\t\n")
    with pytest.raises(BadRecord, match=r"tsv:2: column '#Sentence' is empty"):
        list(read_metanet_examples(path))


@pytest.mark.shared
def test_sets_have_what_the_catalogue_counts(shared):
    data = shared / "data"
    gathered = gather_texts(data)
    counts = {}
    for item in gathered.texts:
        counts[item.source] = counts.get(item.source, 0) + 1
    assert counts["metanet"] == 569
    assert counts["lcc"] == 12238 + 4014
    assert counts["moh"] == 1639
    assert counts["tsv"] == 222
