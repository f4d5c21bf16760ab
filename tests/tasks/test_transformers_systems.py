"""Hugging Face encoders as systems for sentiment and names: a tiny one with random weights."""

import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[hub]')")
pytest.importorskip("transformers")

import hub_folder
from trope.catalog import METONYMY_SYSTEMS, SENTIMENT_SYSTEMS
from trope.core.errors import BadInput, BadModel
from trope.core.records import Analysis, Parse
from trope.lexicon.readings import readings
from trope.tasks.metonymy.task import NameInContext
from trope.tasks.metonymy.transformers_system import CONTEXT, LABELS, marked


@pytest.fixture(scope="module")
def number(tmp_path_factory):
    folder = tmp_path_factory.mktemp("number")
    return hub_folder.write_encoder(folder, head="sentences", labels=["score"])


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    return hub_folder.write_encoder(folder, head="sentences", labels=LABELS)


def tweet(text):
    return Analysis(text, (), (), ())


def name(text, at, name_class="location"):
    parse = Parse(tuple(text.split()), (), (), (), (), ())
    return NameInContext(parse.words[at], name_class, parse, at, at + 1)


def test_a_number_a_text_the_same_in_any_company(number):
    system = SENTIMENT_SYSTEMS.load("transformers")(model=number, batch_size=2)
    texts = ["the frost bites the town", "", "we grasp the rope " * 40, "rain"]
    found = system.score([tweet(text) for text in texts])
    assert all(-5 <= score <= 5 for score in found)
    assert len({round(score, 6) for score in found}) == len(texts)
    alone = [system.score([tweet(text)])[0] for text in texts]
    assert found == pytest.approx(alone, abs=1e-5)
    assert system.score([]) == []


def test_another_head_is_refused_for_sentiment(names, tmp_path):
    with pytest.raises(BadModel, match=r"classifier\.\w+ has the shape \(18"):
        SENTIMENT_SYSTEMS.load("transformers")(model=names)
    with pytest.raises(BadModel, match="missing"):
        SENTIMENT_SYSTEMS.load("transformers")(model=hub_folder.write_encoder(tmp_path))


def test_scores_stay_on_the_scale(number):
    system = SENTIMENT_SYSTEMS.load("transformers")(model=number)
    system._model.classifier.bias.data += 100
    assert system.score([tweet("rain")]) == [5.0]


def test_readings_of_the_class_have_probabilities(names):
    system = METONYMY_SYSTEMS.load("transformers")(model=names)
    asked = [name("the town bites", 1), name("the town bites", 1, "organisation")]
    place, company = system.predict(asked)
    for row, one in ((place, asked[0]), (company, asked[1])):
        assert list(row) == list(readings(one.name_class))
        assert sum(row.values()) == pytest.approx(1)
    assert system.predict(asked[:1])[0] == pytest.approx(place)
    assert system.predict([]) == []


def test_the_mark_tells_two_names_of_a_sentence_apart(names):
    assert marked(name("the town bites", 1)) == "the << town >> bites"
    system = METONYMY_SYSTEMS.load("transformers")(model=names)
    first, last = system.predict([name("town swallows town", 0), name("town swallows town", 2)])
    assert first != pytest.approx(last)


def test_only_what_is_near_the_name_is_read():
    words = ("far", *["rain"] * CONTEXT, "Peru", *["fell"] * CONTEXT, "far")
    text = marked(name(" ".join(words), CONTEXT + 1))
    assert "far" not in text
    assert text.count("rain") == text.count("fell") == CONTEXT


def test_names_are_not_learnt_here_and_other_labels_are_refused(names, number):
    system = METONYMY_SYSTEMS.load("transformers")(model=names)
    with pytest.raises(BadInput, match="trained beforehand"):
        system.fit([], [])
    with pytest.raises(BadModel, match="has the labels score …, not the 18 from location:literal"):
        METONYMY_SYSTEMS.load("transformers")(model=number)


def test_a_pickle_is_refused(number, tmp_path):
    for path in number.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "head.bin").write_bytes(b"x")
    for systems in (SENTIMENT_SYSTEMS, METONYMY_SYSTEMS):
        with pytest.raises(BadModel, match="may be a pickle"):
            systems.load("transformers")(model=tmp_path)
