"""`trope evaluate metaphor --part words,headlines` on small files and a reader that goes by rule.

The reader calls "ate", "bent", "face" and "break" metaphors, whatever stands around them.
"""

import csv
import json

import pytest

import hub_folder
from builders import FakePipeline
from trope.cli.main import run
from trope.core.errors import BadConfig
from trope.evaluate.results import read_bounds

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (pip install 'trope[systems]')"
)

TAGS = str(["NOUN", "VERB", "NOUN"])
COLUMNS = ["txt_id", "sen_ix", "sentence", "label_seq", "pos_seq", "labeled_sentence", "genre"]
# what the reader gets right, misses, and wrongly takes for a metaphor
SENTENCES = [
    ("Rust ate hope", [0, 1, 0], "Rust M_ate hope", "news"),
    ("Fear kissed men", [0, 1, 0], "Fear M_kissed men", "news"),
    ("Cows ate grass", [0, 0, 0], "Cows ate grass", "fiction"),
]


def table(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr("trope.pipeline.Pipeline", lambda **_: FakePipeline(metaphor=True))
    folder = hub_folder.write_corpora(tmp_path / "data")
    rows = [
        ["t", number, text, str(labels), TAGS, marked, genre]
        for number, (text, labels, marked, genre) in enumerate(SENTENCES)
    ]
    for split in ("train", "test"):
        table(folder / f"vua18/VUA_seq_formatted_{split}.csv", [COLUMNS, *rows])
        verbs = [["t", n, r[2].split()[1], r[2], 1, int(n < 2)] for n, r in enumerate(rows)]  # type: ignore[attr-defined]
        header = ["text_idx", "sentence_idx", "verb", "sentence", "verb_idx", "label"]
        name = "test" if split == "test" else "train_noVAL"
        table(folder / f"vua18/VUA_formatted_{name}.csv", [header, *verbs])
    marked = [["t", n, s[2]] for n, s in enumerate(SENTENCES)]
    header = ["txt_id", "sentence_id", "sentence_txt"]
    table(folder / "naacl2018/vuamc_corpus_test.csv", [header, *marked])
    for name in ("all_pos", "verb"):
        key = [["id", "label"], *([f"t_{n}_2", int(n < 2)] for n in range(3))]
        table(folder / f"naacl2018/{name}_tokens_test_gold_labels.csv", key)
    table(
        folder / "moh/MOH_formatted.csv",
        [["verb", "sentence", "verb_idx", "label"], ["eat", "Rust ate hope", 1, 1]],
    )
    return folder


def figures(capsys, data, *options, status=0):
    parts = ["--part", "words,headlines", "--from", str(data), "--json"]
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "metaphor", *parts, *options])
    said = capsys.readouterr()
    assert leave.value.code == status, said.err
    return {figure["name"]: figure for figure in json.loads(said.out)["figures"]}


def test_words_by_hand(data, capsys):
    found = figures(capsys, data)
    # one right of two called and of two true
    for name in ("vua18.words", "vua18.verbs", "naacl2018.all_pos", "naacl2018.verbs"):
        values = [found[f"metaphor.{name}.{score}"]["value"] for score in ("f1", "precision")]
        assert values == [0.5, 0.5], name
    assert found["metaphor.vua18.words.f1"]["n"] == 9
    assert found["metaphor.vua18.words.f1"]["chosen_on"] == "vua18 val"
    assert found["metaphor.vua18.words.genre.news.f1"]["value"] == pytest.approx(2 / 3)
    assert found["metaphor.vua18.words.genre.fiction.recall"]["value"] is None
    assert found["metaphor.vua18.words.constant.f1"]["value"] == pytest.approx(2 * 2 / (9 + 2))
    # "ate" was as often literal as not, "kissed" always a metaphor
    assert found["metaphor.vua18.words.word_alone.f1"]["value"] == pytest.approx(2 / 3)
    # seven words at 0.02 of which one is a metaphor, two at 0.93 of which one is
    error = (abs(7 * 0.02 - 1) + abs(2 * 0.93 - 1)) / 9
    assert found["metaphor.vua18.words.ece"]["value"] == pytest.approx(error)


def test_other_verb_sets_are_read_where_they_are_given(data, capsys):
    found = figures(capsys, data)
    assert found["metaphor.moh.f1"]["value"] == 1
    assert found["metaphor.moh_x.f1"]["value"] is None
    assert "no file moh_x/*.csv" in found["metaphor.moh_x.f1"]["note"]
    table(
        data / "moh_x/any name.csv",
        [
            ["arg1", "arg2", "verb", "sentence", "verb_idx", "label"],
            ["rust", "hope", "eat", "Rust ate hope", 1, 1],
            ["fear", "men", "kiss", "Fear kissed men", 1, 1],
        ],
    )
    (data / "trofi").mkdir()
    (data / "trofi" / "base.txt").write_text(
        "***eat***\n*nonliteral cluster*\nwsj1:1\tN\tRust ate hope ./.\n"
        "*literal cluster*\nwsj1:2\tL\tCows ate grass ./.\nwsj1:3\tU\tMice ate rice ./.\n"
    )
    found = figures(capsys, data)
    assert found["metaphor.moh_x.recall"]["value"] == 0.5
    # the unannotated sentence is left out
    assert (found["metaphor.trofi.f1"]["value"], found["metaphor.trofi.f1"]["n"]) == (
        pytest.approx(2 / 3),
        2,
    )


def test_headlines_stand_beside_words_alone_and_the_constant(data, capsys):
    found = figures(capsys, data)
    for name in ("test", "gold", "test_1", "test_2"):
        prefix = f"metaphor.newsmet.{name}"
        assert found[f"{prefix}.accuracy"]["chosen_on"] == "newsmet val"
        for control in ("tfidf", "constant"):
            assert found[f"{prefix}.{control}.macro_f1"]["value"] is not None
            assert "exact binomial" in found[f"{prefix}.vs_{control}.mcnemar_p"]["note"]
    # no word of the toy headlines is a metaphor to the reader: all are called literal
    rows = found["metaphor.newsmet.test.accuracy"]["n"]
    literal = 1 - found["metaphor.newsmet.test.constant.accuracy"]["value"]
    assert found["metaphor.newsmet.test.accuracy"]["value"] == pytest.approx(literal)
    assert rows == 8


def test_a_plot_is_drawn_and_refused_for_other_tasks(data, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    figures(capsys, data, "--plot", str(tmp_path / "calibration.svg"))
    drawing = (tmp_path / "calibration.svg").read_text(encoding="utf-8")
    assert "VUA-18 test, 9 words, tier small" in drawing
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "syntax", "--from", str(data), "--plot", str(tmp_path / "a.svg")])
    assert leave.value.code == 2
    assert "there is no plot for syntax" in capsys.readouterr().err


def test_bounds_of_another_tier_stand_under_its_name(tmp_path):
    path = tmp_path / "bounds.toml"
    path.write_text('[at_least]\n"a" = 1\n[tiers.base.at_least]\n"a" = 2\n')
    assert read_bounds(path).at_least == {"a": 1}
    assert read_bounds(path, "base").at_least == {"a": 2}
    assert read_bounds(path, "other").at_least == {}
    path.write_text('[tiers.base.at_lest]\n"a" = 2\n')
    with pytest.raises(BadConfig, match="at_lest"):
        read_bounds(path)
