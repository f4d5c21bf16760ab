"""Sentiment, metonymy and meaning on toys: what is read, how it is learnt, what the graph says."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import tiny

from trope.core.config import read_config
from trope.encoder.decode import read_words
from trope.encoder.pieces import MASK, Vocabulary
from trope.encoder.session import FIGURES as FIGURES_OUTPUT
from trope.encoder.session import (
    MEANING,
    METONYMY,
    NAMES,
    SENTIMENT,
    SENTIMENT_OUTPUTS,
    Encoder,
)
from trope.encoder.windows import network_input
from trope.tasks.metonymy.validation import held_out
from trope.train.encoder.corpus import UNKNOWN, ZERO, batches
from trope.train.encoder.figure_sets import FigureSentence, encode_figures
from trope.train.encoder.name_sets import (
    LABELS,
    PLACE,
    TAGS,
    NamedSentence,
    NameTags,
    encode_names,
    encode_tags,
    read_name_set,
)
from trope.train.encoder.own_sentences import FIGURES as OWN_FIGURES
from trope.train.encoder.sentiment_sets import (
    SentimentText,
    encode_sentiment_texts,
    read_sentiment_set,
)

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from test_train_encoder import SETTINGS, SMALLER  # noqa: E402

from trope.encoder.network import Network  # noqa: E402
from trope.train.encoder import (  # noqa: E402
    adapters,
    figure_development,
    fit,
    losses,
    name_sets,
    run,
    sentiment_sets,
    student,
)
from trope.train.encoder.calibration import Calibration  # noqa: E402
from trope.train.encoder.development import (  # noqa: E402
    fit_scale,
    metonymy_figures,
    predicted_scores,
    sentiment_figures,
)
from trope.train.encoder.export import export  # noqa: E402
from trope.train.encoder.fit import FitSettings  # noqa: E402
from trope.train.encoder.run import EncoderSettings  # noqa: E402
from trope.train.encoder.student import quantise  # noqa: E402

NOTHING = (UNKNOWN,) * 3
GLAD, SAD = ("what a lovely day", "I love this song"), ("what an awful day", "I hate this song")
FELT = [SentimentText(t, ZERO + 300, polarity=2) for t in GLAD] * 6
FELT += [SentimentText(t, ZERO - 400, polarity=0) for t in SAD] * 6
SCORED = [SentimentText(t.text, t.score) for t in FELT]
LITERAL, PEOPLE = (LABELS.index(f"location:{n}") for n in ("literal", "place-for-people"))
NAMED = [
    NamedSentence(("He", "lives", "in", name, "."), 3, 4, "location", LITERAL)
    for name in ("Peru", "Chad", "Fiji", "Oman")
] + [
    NamedSentence((name, "signed", "the", "treaty", "."), 0, 1, "location", PEOPLE)
    for name in ("Peru", "Chad", "Fiji", "Oman")
]
FIGURES = [
    FigureSentence(("The", verb, "of", "war", "."), noticed=(0, 1, 0, 0, 0), group=verb)
    for verb in ("fog", "fruits", "drums", "teeth")
] + [
    FigureSentence(("He", "ate", "the", noun, "."), novelty=(*NOTHING, ZERO + new, UNKNOWN))
    for noun, new in (("fog", 900), ("fruits", 100), ("words", 800), ("bread", 50))
]
TAGGED = [
    NameTags(("He", "lives", "in", name, "."), (0, 0, 0, TAGS.index("B-LOC"), 0))
    for name in ("Peru", "Chad", "Fiji", "Oman")
] + [NameTags(("Dogs", "lie", "in", "the", "sun"), (0, 0, 0, 0, 0))]
ALL = msgspec.structs.replace(
    tiny.labels(), sentiment=SENTIMENT_OUTPUTS, metonymy=LABELS, meaning=24, names=TAGS
)
FITTED = FitSettings("e5-small", encoder_rate=1e-3, head_rate=1e-2, words_per_batch=40)


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    tiny.shrink(monkeypatch, run)


def vocabulary() -> Vocabulary:
    return Vocabulary(tiny.VOCABULARY)


def learnt(tasks: tuple[str, ...], lessons: dict[str, fit.Lesson]) -> Network:
    torch.manual_seed(0)
    model = Network("e5-small", ALL, None, tasks)
    fit.fit(model, ALL, lessons, FITTED, seed=1, device="cpu", say=lambda _: None)
    return model


def test_feelings_are_learnt_from_scores_and_put_on_their_scale() -> None:
    corpus = encode_sentiment_texts(SCORED, vocabulary())
    model = learnt(("sentiment",), {"felt": fit.Lesson(corpus, 20)})
    figures = sentiment_figures(model, corpus, "cpu")
    assert figures["cosine"] > 0.95
    assert figures["mse"] < 1
    said = predicted_scores(model, corpus, "cpu")
    slope, shift = fit_scale(said, corpus)
    assert (slope * said + shift).mean() == pytest.approx(-0.5, abs=1e-6)  # of 3 and -4


def test_an_unknown_score_weighs_nothing() -> None:
    corpus = encode_sentiment_texts([*SCORED, SentimentText("nobody knows")], vocabulary())
    (arrays,) = batches(corpus, 10_000, None)
    batch = fit.on_device(arrays, "cpu")
    answers = {k: torch.from_numpy(v) for k, v in corpus.sentence_labels.items()}
    said = torch.zeros(len(corpus), len(SENTIMENT_OUTPUTS))
    before = losses.sentiment_loss(said, batch, answers, None)
    said[batch["sentence"] == len(SCORED), 0] = 5
    assert torch.equal(losses.sentiment_loss(said, batch, answers, None), before)


def test_readings_are_learnt_within_the_class_of_the_name() -> None:
    corpus = encode_names(NAMED, vocabulary())
    model = learnt(("metonymy",), {"names": fit.Lesson(corpus, 25)})
    assert metonymy_figures(model, corpus, ALL, "cpu") == {
        "location_fine": 1.0,
        "location_coarse": 1.0,
    }


def test_figures_and_names_are_learnt_from_the_words_that_were_judged() -> None:
    figures, tags = encode_figures(FIGURES, vocabulary()), encode_tags(TAGGED, vocabulary())
    assert set(figures.labels) == {"noticed", "novelty"}
    lessons = {"figures": fit.Lesson(figures, 30), "tags": fit.Lesson(tags, 30)}
    model = learnt(("figures", "names"), lessons).eval()
    (arrays,) = batches(figures, 10_000, None)
    predicted = model(fit.on_device(arrays, "cpu")).figures.detach().numpy()
    there = arrays["word"] >= 0
    known = figures.labels["noticed"][arrays["word"]] != UNKNOWN
    marked = figures.labels["noticed"][arrays["word"]] == 1
    assert ((predicted[..., 0] > 0) == marked)[there & known].all()
    scored = there & (figures.labels["novelty"][arrays["word"]] != UNKNOWN)
    given = (figures.labels["novelty"][arrays["word"]][scored] - ZERO) / 1000
    assert np.corrcoef(predicted[..., 3][scored], given)[0, 1] > 0.9
    (arrays,) = batches(tags, 10_000, None)
    found = model(fit.on_device(arrays, "cpu")).names.argmax(-1).numpy()
    there = arrays["word"] >= 0
    assert (found[there] == tags.labels["tag"][arrays["word"][there]]).all()


def test_names_known_as_literal_or_not_have_readings_of_their_own() -> None:
    """The two conventions may disagree on a name: each has its own answer."""
    known = [
        replace(s, name_class=PLACE, reading=LABELS.index(f"{PLACE}:{n}"))
        for s, n in ((s, "metonymic" if s.reading == LITERAL else "literal") for s in NAMED)
    ]
    corpora = {
        name: encode_names(rows, vocabulary()) for name, rows in (("a", NAMED), ("b", known))
    }
    model = learnt(("metonymy",), {name: fit.Lesson(c, 25) for name, c in corpora.items()})
    assert metonymy_figures(model, corpora["a"], ALL, "cpu")["location_fine"] == 1
    assert metonymy_figures(model, corpora["b"], ALL, "cpu")["place_coarse"] == 1


def test_readings_of_another_class_cost_nothing() -> None:
    corpus = encode_names(NAMED[:1], vocabulary())
    (arrays,) = batches(corpus, 10_000, None)
    batch = fit.on_device(arrays, "cpu")
    answers = {k: torch.from_numpy(v) for k, v in corpus.labels.items()}
    blocks = losses.class_blocks(ALL, "cpu")
    said = torch.zeros(1, 5, len(LABELS))
    before = losses.reading_loss(said, batch, answers, None, blocks)
    said[..., [n.startswith("organisation") for n in LABELS]] = 9
    assert torch.equal(losses.reading_loss(said, batch, answers, None, blocks), before)
    said[..., LITERAL] = 9
    assert losses.reading_loss(said, batch, answers, None, blocks) < before / 10


def test_meaning_is_missed_wholly_by_zeros_and_not_at_all_by_the_wanted() -> None:
    corpus = encode_names(NAMED, vocabulary())
    (arrays,) = batches(corpus, 10_000, None)
    batch = fit.on_device(arrays, "cpu")
    wanted = torch.randn(int(corpus.sentence_starts[-1]), 24)
    zeros = torch.zeros(*batch["word"].shape, 24)
    assert losses.meaning_loss(zeros, batch, wanted).item() == pytest.approx(2)
    right = wanted[batch["word"].clamp_min(0)]
    assert losses.meaning_loss(right, batch, wanted).item() == pytest.approx(0)


def test_names_are_hidden_and_exchanged_in_training(shared_names: Path) -> None:
    names = read_name_set(shared_names, "semeval2007-names", "train")
    samples = len(names) // 3
    plain, hidden, renamed = (names[n * samples : (n + 1) * samples] for n in range(3))
    for one, masked, other in zip(plain, hidden, renamed, strict=True):
        assert masked.words[masked.first : masked.last] == (MASK,)
        assert other.words[: other.first] == one.words[: one.first]
        assert other.words[other.last :] == one.words[one.last :]
        assert one.reading == masked.reading == other.reading != UNKNOWN


@pytest.fixture
def shared_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Samples of our own where the task's files would be."""
    from trope.corpora.records import NameSample

    kept = [f"s{n}" for n in range(40) if not held_out(f"s{n}")]
    samples = [
        NameSample(
            name, place, "location", (f"He left {place} in May.",), 0, 8, 8 + len(place),
            "literal", "fine",
        )
        for name, place in zip(kept, ("Peru", "Sri Lanka", "Chad") * 20, strict=False)
    ]  # fmt: skip
    for file in name_sets._FILES:
        (tmp_path / "semeval2007").mkdir(exist_ok=True)
        (tmp_path / "semeval2007" / file).touch()
    monkeypatch.setattr(
        name_sets, "read_samples", lambda path: samples if path.name.endswith("xml") else []
    )
    return tmp_path


def test_the_graph_says_what_the_new_heads_say(tmp_path: Path) -> None:
    torch.manual_seed(0)
    tasks = ("syntax", "sentiment", "metonymy", "meaning")
    model = quantise(Network("e5-small", ALL, None, tasks).eval())
    weights = {name: value.float().numpy() for name, value in model.state_dict().items()}
    export(weights, ALL, tiny.VOCABULARY, tmp_path)
    encoder = Encoder(folder=tmp_path, threads=1)
    wanted = (*SENTIMENT, *METONYMY, *MEANING)
    sentences = [["What", "a", "day", "!"], ["So"], ["rain"] * 40]
    for future in encoder.submit(sentences, wanted):
        done = future.result()
        batch: dict[str, Any] = {
            name: torch.from_numpy(array.copy())
            for name, array in network_input(done.windows, encoder.vocabulary).items()
        }
        batch["mask"] = batch["mask"].long()
        with torch.inference_mode():
            scores = model(batch)
        for name in wanted:
            ours = getattr(scores, name).numpy()
            assert np.abs(ours - done.outputs[name]).max() < 2e-3 * np.abs(ours).max(), name


def test_a_whole_run_teaches_all_heads_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sentiment_sets.READERS, "semeval2015", lambda data, split: SCORED)
    monkeypatch.setattr(run, "read_name_set", lambda *_, **__: NAMED)
    monkeypatch.setattr(run, "read_figure_set", lambda *_: FIGURES)
    monkeypatch.setattr(run, "read_tag_set", lambda *_: TAGGED)
    first, second = (SETTINGS.index(f"[[teachers.{task}.fits]]") for task in ("syntax", "metaphor"))
    tasks = ("sentiment", "metonymy", "figures", "names")
    more = "".join(SETTINGS[first:second].replace(".syntax", f".{task}") for task in tasks)
    settings = SETTINGS.replace("meaning = 0", "meaning = 16").replace(
        "[[sets]]", more + "[[sets]]", 1
    )
    for name, use in (
        ("semeval2015", "sentiment"),
        ("semeval2007-names", "metonymy"),
        ("meta4xnli", "figures"),
        ("wikigold", "names"),
    ):
        settings += f'[[sets]]\nname = "{name}"\nuse = "{use}"\nlicence = "own"\n'
        settings += "teacher_passes = 4\nstudent_passes = 3\nbase_passes = 2\n"
    settings = settings.replace(
        "[[teachers.metonymy.fits]]",
        '[teachers.metonymy]\nreads = ["semeval2007-names"]\n\n[[teachers.metonymy.fits]]',
    )
    (tmp_path / "all.toml").write_text(settings)
    choices: dict[str, Any] = {
        "settings": read_config(tmp_path / "all.toml", EncoderSettings),
        "without": frozenset(SMALLER[1::2]),
        "data": tiny.write_data(tmp_path / "data"),
        "work": tmp_path / "work",
        "device": "cpu",
        "say": lambda _: None,
    }
    (tmp_path / "work").mkdir()
    student.train_encoder(out=tmp_path / "model", **choices)
    figures = json.loads((tmp_path / "work" / "student-5.json").read_bytes())
    heads = {"metaphor", "sentiment", "metonymy", "figures", "names"}
    assert set(figures) == {"ewt", "tweebank", *heads}
    assert set(figures["figures"]) == {"noticed_f1"}
    model = Encoder(folder=tmp_path / "model", threads=1)
    assert model.labels.meaning == 16
    assert model.labels.metonymy == LABELS
    assert model.labels.names == TAGS
    assert model.labels.figures is not None
    words = ["I", "love", "this", "song"]
    (future,) = model.submit([words], (*SENTIMENT, *MEANING, *FIGURES_OUTPUT, *NAMES))
    assert future.result().outputs["meaning"].shape == (1, 4, 16)
    (parse,) = read_words(model, [words], (*FIGURES_OUTPUT, *NAMES))
    assert len(parse.noticed) == len(parse.novelty) == len(parse.names) == 4
    assert all(0 <= value <= 1 for value in (*parse.noticed, *parse.novelty))
    adapters.train_adapters(out=tmp_path / "base", **choices)
    shipped, own = (tmp_path / n / "adapters.safetensors" for n in ("base", "work/base-5"))
    assert shipped.stat().st_size > 10_000
    assert shipped.read_bytes() == own.read_bytes()


@pytest.mark.shared
def test_the_real_sets_keep_their_development_part_apart(shared: Path) -> None:
    train, dev = (read_sentiment_set(shared / "data", "semeval2015", s) for s in ("train", "dev"))
    assert (len(train), len(dev)) == (6690, 754)
    assert not {t.text for t in train} & {t.text for t in dev}
    assert all(500 <= t.score <= 1500 for t in (*train, *dev))
    names = read_name_set(shared / "data", "semeval2007-names", "train")
    left = read_name_set(shared / "data", "semeval2007-names", "dev")
    assert len(names) // 3 + len(left) == 925 + 1090
    assert not {(n.words, n.first) for n in names} & {(n.words, n.first) for n in left}


def test_the_threshold_of_noticed_words_leaves_literal_sentences_alone() -> None:
    literal = FigureSentence(("He", "ate", "the", "bread", "."), noticed=(0,) * 5)
    corpus = encode_figures([FIGURES[0], literal], vocabulary())
    answers = corpus.labels["noticed"]
    said = figure_development.JudgedWords(
        np.stack([np.where(answers == 1, 1.0, -1.0)] * 3 + [0.0 * answers], axis=1),
        np.full(len(answers), -2.0),
        corpus.labels,
        corpus.sentence_starts,
    )
    same = Calibration(1.0, 0.0, 0.5)
    found = figure_development.calibrate_figures({OWN_FIGURES: said}, same)
    # words of the literal sentence have the score that −1 and −2 give; the threshold is above it
    highest = (0.2689**2 * 0.1192) ** (1 / 3)
    assert highest < found.thresholds.noticed <= highest + 0.005
    assert found.thresholds.idiom == found.thresholds.simile == 0.5
