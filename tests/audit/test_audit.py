"""`trope audit`: controls by hand on small sets, warnings, the command, and the expected flags."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.audit.audit import Audit, Rival, find_warnings
from trope.audit.controls import AuditItem, BinarySet, audit_figures, surface
from trope.audit.data_sets import audit_mean
from trope.catalog import AUDITS
from trope.cli.main import run
from trope.metrics.figures import NO_DATA, Measurement, new_evaluation, write_evaluation

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (pip install 'trope[systems]')"
)


def item(text: str, label: bool, at: int = 1) -> AuditItem:
    words = tuple(text.split())
    return AuditItem(words, label, text, at, at + 1, words[at].lower())


def values(questions: BinarySet) -> dict[str, float | None]:
    figures = audit_figures(questions, seed=0)
    return {figure.name.removeprefix("audit.toy."): figure.value for figure in figures}


TRAIN = [
    item("rain ate roads", True),
    item("rust ate cars", True),
    item("cats ate fish", False),
    item("kids drank milk", False),
]


def test_word_alone_gives_the_usual_answer_of_train_and_no_to_unknown_words():
    test = [item("fog Ate hills", True), item("we drank tea", True), item("we hum songs", False)]
    found = values(BinarySet("toy", TRAIN, test, NO_DATA))
    assert found["word_alone.accuracy"] == pytest.approx(2 / 3)
    assert found["constant.accuracy"] == pytest.approx(2 / 3)
    assert found["constant_no.accuracy"] == pytest.approx(1 / 3)
    assert "words.f1" not in found


def test_threshold_of_word_alone_is_tuned_on_validation_data_where_there_is_some():
    train = [item("a bit b", True), *[item(f"a bit c{n}", False) for n in range(3)], *TRAIN[3:]]
    validation = [item("x bit y", True), item("x drank y", False)]
    test = [item("fog bit hills", True), item("we drank tea", False)]
    found = values(BinarySet("toy", train, test, NO_DATA, validation))
    assert found["word_alone.f1"] == 0
    assert found["word_alone_tuned.f1"] == 1


WORDS = ("rain", "ate", "a", "!", "🌊", "Roads", "7")
SETS = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), st.booleans()),
    min_size=1, max_size=6,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(SETS, SETS, st.one_of(st.just([]), SETS), st.booleans())
def test_small_sets_have_figures_whatever_their_labels_and_texts_are(
    train: list[tuple[list[str], bool]],
    test: list[tuple[list[str], bool]],
    validation: list[tuple[list[str], bool]],
    targets: bool,
) -> None:
    def items(rows: list[tuple[list[str], bool]]) -> list[AuditItem]:
        return [
            AuditItem(tuple(words), label, str(at), 0, 1, words[0] if targets else "")
            for at, (words, label) in enumerate(rows)
        ]

    found = values(BinarySet("toy", items(train), items(test), NO_DATA, items(validation)))
    assert found["constant.accuracy"] == pytest.approx(sum(y for _, y in test) / len(test))
    assert found["surface.accuracy"] is not None


def test_validation_data_without_a_metaphor_choose_no_threshold():
    validation = [item("x bit y", False), item("x drank y", False)]
    test = [item("fog ate hills", True), item("we drank tea", False)]
    figures = audit_figures(BinarySet("toy", TRAIN, test, NO_DATA, validation), seed=0)
    assert {f.chosen_on for f in figures} == {""}, "no figure says that it was tuned"
    assert not any("tuned" in f.name for f in figures)


def test_context_is_seen_without_its_target():
    train = [item(f"hope {verb} gone", verb < "m") for verb in "abcxyz"]
    train += [item(f"milk {verb} gone", verb > "m") for verb in "abcxyz"]
    test = [item("hope q gone", True), item("milk q gone", False)] * 3
    found = values(BinarySet("toy", train, test, NO_DATA))
    assert found["context.accuracy"] == 0.5, "the context alone says nothing here"
    train = [
        item(f"{'hope' if yes else 'milk'} {verb} gone", yes) for verb in "abc" for yes in (0, 1)
    ]
    assert values(BinarySet("toy", train, test, NO_DATA))["context.accuracy"] == 1


def test_surface_sees_length_and_capitals_but_no_words():
    train = [AuditItem(("Aa",) * (3 + n), True, str(n)) for n in range(4)]
    train += [AuditItem(("bb",) * (9 + n), False, str(n)) for n in range(4)]
    test = [AuditItem(("Qq",) * 4, True, "x"), AuditItem(("zz",) * 11, False, "y")]
    assert values(BinarySet("toy", train, test, NO_DATA))["surface.accuracy"] == 1
    one, other = AuditItem(("abc", "de"), True, "", 0, 1), AuditItem(("xyz", "uv"), True, "", 0, 1)
    assert surface(one) == surface(other)


def test_set_without_targets_is_read_by_all_its_words():
    train = [AuditItem(tuple(text.split()), label, text) for text, label in (
        ("hopes melt away", True), ("hopes melt fast", True), ("ice melts", False), ("ice", False)
    )]  # fmt: skip
    found = values(BinarySet("toy", train, train, NO_DATA))
    assert found["words.accuracy"] == 1
    assert "word_alone.f1" not in found
    assert found["duplicates_train.share"] == 1


def test_duplicates_are_counted_by_text():
    test = [item("rain ate roads", True, 0), item("rain ate roads", True, 2), item("new it is", 0)]
    figures = audit_figures(BinarySet("toy", TRAIN, test, NO_DATA), seed=0)
    assert figures[-1].value == 0.5
    assert figures[-1].note == "1 of 2 texts are in train too"


def test_a_set_without_train_is_folded_by_target():
    test = [item(f"a verb{n} x", bool(n % 2)) for n in range(20)]
    test += [item(f"b verb{n} y", not n % 2) for n in range(20)]
    found = values(BinarySet("toy", (), test, NO_DATA))
    # every verb has both answers: with its twin in the other folds it would be always wrong
    assert found["word_alone.accuracy"] == 0.5
    assert "duplicates_train.share" not in found


def figure(name, value, low=None, high=None):
    return Measurement(name, value, low, high, n=10, data=NO_DATA, note="" if value else "none")


@pytest.mark.parametrize(
    ("control", "system", "said"),
    [
        ((0.72, 0.70, 0.74), (0.65, 0.60, 0.70), "above the system's 0.650 (0.600–0.700)"),
        ((0.62, 0.60, 0.64), (0.65, 0.60, 0.70), "within the interval of the system's"),
        ((0.55, 0.50, 0.60), (0.65, 0.60, 0.70), None),
        ((0.66, 0.60, 0.70), (0.65,), "above the system's 0.650"),
        ((0.62, 0.60, 0.70), (0.65,), None),
        ((0.62, 0.60, 0.64), None, "above the published 0.600 (someone)"),
        ((0.58, 0.55, 0.61), None, "not surely below the published 0.600"),
        ((0.50, 0.45, 0.55), None, None),
        ((None,), None, None),
    ],
)
def test_warning_where_a_control_reaches_its_rival(control, system, said):
    audit = Audit("toy", [figure("audit.toy.c.f1", *control)], {
        "audit.toy.c.f1": Rival("sys.f1", 0.6, "someone")
    })  # fmt: skip
    measured = new_evaluation("t", "", "", [figure("sys.f1", *system)]) if system else None
    warning = find_warnings(audit, measured)
    assert [said in w.message and w.by_system == bool(system) for w in warning] == (
        [True] if said else []
    )


MEAN = (
    "METAPHOR;;ROLE;ROLES;;;\n"
    "MetSource;MetTarget;SourceRole;TargetRoleGold;SameFrameDifferentAttribute;DiffFrameSameAtt;"
    "DiffFrameDiffAtt\n"
    "IDEA;SEED;thinker;seeder;soil;baker;moon\n"
    "LIFE;ROAD;person;zzz;qqq;xxx;longest_of_all\n"
)


def test_spelling_control_shares_ties(tmp_path):
    (tmp_path / "mean").mkdir()
    (tmp_path / "mean" / "MEAN_datasetV1.csv").write_text(MEAN)
    audit = audit_mean(tmp_path, seed=0)
    found = {f.name: f.value for f in audit.figures}
    assert found["audit.mean.chance.accuracy"] == 0.25
    assert found["audit.mean.longest.accuracy"] == 0.5
    assert found["audit.mean.spelling.accuracy"] == 0.5


@pytest.fixture
def data(tmp_path):
    """A small NewsMet in which everything is metaphorical by half."""
    folder = tmp_path / "data" / "newsmet"
    folder.mkdir(parents=True)
    for split, things in (("train", "Frost Rain Wind Hail"), ("test", "Snow Fog")):
        gold, more = [], []
        for number, thing in enumerate(things.split()):
            gold.append(f"{thing} nips the buds,{number % 2},gold")
            more += [
                f"{thing} {verb} the buds,{int(n < 2) ^ (number % 2)},gold_plus"
                for n, verb in enumerate(["bites", "eats", "hits", "gets", "sees", "has"])
            ]
        rows = "\n".join([*gold, *more])
        (folder / f"{split}_goldplus.csv").write_text(f"Text,label,sample_type\n{rows}\n")
    return tmp_path / "data"


def called(capsys, *arguments):
    with pytest.raises(SystemExit) as leave:
        run(["audit", *map(str, arguments)])
    out, err = capsys.readouterr()
    return leave.value.code, out, err


def test_command_prints_tables_in_80_columns_and_warns(data, capsys):
    status, out, _ = called(capsys, "newsmet", "--from", data)
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "newsmet.verbs: n = 14" in out
    assert "warning: newsmet.constant.f1 is 0.667, above the published 0.620" in out


def test_command_prints_json_and_nothing_else(data, capsys):
    status, out, err = called(capsys, "newsmet", "--from", data, "--json")
    names = {figure["name"]: figure for figure in json.loads(out)["figures"]}
    assert names["audit.newsmet.constant.f1"]["n"] == 14
    assert len(names["audit.newsmet.words.macro_f1"]["data"]["sha256"]) == 64
    assert "warning: newsmet.constant.f1" in err
    assert status == 0


@pytest.mark.parametrize(("value", "expected"), [(0.6, 1), (0.99, 0)])
def test_status_is_one_where_a_control_reaches_the_given_system(
    data, tmp_path, capsys, value, expected
):
    path = tmp_path / "figures.json"
    names = [f"metaphor.newsmet.test.{score}" for score in ("f1", "accuracy", "macro_f1")]
    figures = [figure(name, value, value - 0.005, value + 0.005) for name in names]
    write_evaluation(new_evaluation("metaphor", "small", "", figures), path)
    status, out, _ = called(capsys, "newsmet", "--from", data, "--system", path)
    assert status == expected
    assert ("above the system's" in out) == bool(expected)


def test_unknown_set_and_missing_data_are_one_line(tmp_path, capsys):
    status, _, err = called(capsys, "newsmat", "--from", tmp_path)
    assert (status, err.count("\n")) == (2, 1)
    assert "Did you mean 'newsmet'?" in err
    status, _, err = called(capsys, "vua18", "--from", tmp_path)
    assert (status, err.count("\n")) == (2, 1)
    assert "not found" in err


# the research data ----------------------------------------------------------------------------

FLAGS = {
    "newsmet": {"newsmet.constant.f1", "newsmet.words.f1", "newsmet.words.accuracy"},
    "mean": {"mean.spelling.accuracy"},
    "semeval2015": {"semeval2015.constant_sarcasm.cosine"},
}
FIGURES = {
    "newsmet": {"newsmet.constant.f1": 0.7243, "newsmet.words.accuracy": 0.6117},
    "mean": {"mean.spelling.accuracy": 0.6732, "mean.longest.accuracy": 0.4036},
    "semeval2015": {"semeval2015.constant.cosine": 0.5467, "semeval2015.constant.mse": 4.0658},
    "tsv": {"tsv.adjective_noun.duplicates_train.share": 0.09},
    "vua18": {
        "vua18.words.word_alone.f1": 0.5248,
        "vua18.words.constant_no.accuracy": 0.8756,
        "vua18.words.duplicates_train.share": 28 / 2694,
        "vua18.verbs.constant.f1": 0.4614,
    },
}


@pytest.mark.shared
@pytest.mark.parametrize("name", FIGURES)
def test_expected_figures_and_flags(name, shared, capsys):
    _, out, err = called(capsys, name, "--from", shared / "data", "--json")
    found = {f["name"].removeprefix("audit."): f["value"] for f in json.loads(out)["figures"]}
    for figure_name, value in FIGURES[name].items():
        assert found[figure_name] == pytest.approx(value, abs=5e-5)
    above = {line.split()[1] for line in err.splitlines() if " above the published " in line}
    assert above == FLAGS.get(name, set())


def write(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{row}\n" for row in rows).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def test_names_in_folds_are_read_by_their_context(tmp_path):
    places = [f"Place{n}" for n in range(20)]
    rows = [
        f'<sample number="{n}a">They met in <loc reading="lit">{place}</loc> today.</sample>'
        f'<sample number="{n}b">Then <loc reading="met">{place}</loc> refused again.</sample>'
        for n, place in enumerate(places)
    ]
    write(tmp_path / "metonymy/ReLocaR_Train.xml", "<samples>", *rows, "</samples>")
    write(tmp_path / "metonymy/leaks.tsv", "file\tid\tagainst")
    (audit,) = (part(tmp_path, 0) for part in AUDITS.load("relocar"))
    found = {figure.name: figure.value for figure in audit.figures}
    assert found["audit.relocar.constant.accuracy"] == 0.5
    assert found["audit.relocar.context.accuracy"] == 1
    assert audit.rivals["audit.relocar.context.accuracy"].system == "metonymy.relocar.cv_accuracy"


def test_words_of_ordinary_english_alone_and_by_their_shape(tmp_path):
    train = ["# id = a", "Prices\tO", "leap\tB-METAPHOR", "", "# id = b", "Cats\tO", "sleep\tO"]
    dev = ["# id = c", "Rates\tO", "leap\tB-METAPHOR", "", "# id = d", "Cats\tO", "sleep\tO"]
    write(tmp_path / "meta4xnli/train.tsv.gz", *train)
    write(tmp_path / "meta4xnli/dev.tsv.gz", *dev)
    (audit,) = (part(tmp_path, 0) for part in AUDITS.load("meta4xnli"))
    found = {figure.name: figure.value for figure in audit.figures}
    assert found["audit.meta4xnli.word_alone.f1"] == 1
    assert found["audit.meta4xnli.duplicates_train.share"] == 0.5


def test_idioms_are_asked_in_folds_and_valence_by_its_words(tmp_path):
    idioms = ["id\tidiom\tlabel\tspan\twords"]
    for n in range(20):
        use, word = ("idiomatic", "hope") if n % 2 else ("literal", "milk")
        idioms.append(f"m{n}\thit the {n}\t{use}\t1:3\tThey hit the{n} with {word} .")
    write(tmp_path / "idiom-sentences/magpie-typebased-dev.tsv.gz", *idioms)
    epie = ["id\tidiom\tlabel\twords\ttags", "e1\tso be it\t1\tso be it\tB-IDIOM I-IDIOM I-IDIOM"]
    write(tmp_path / "idiom-sentences/epie-formal.tsv.gz", *epie)
    (audit,) = (part(tmp_path, 0) for part in AUDITS.load("idioms"))
    found = {figure.name: figure.value for figure in audit.figures}
    assert found["audit.idioms.context.accuracy"] > 0.9
    rows = ["id,split,V,A,D,text", "a,train,1,3,3,awful rain", "b,train,4,3,3,lovely sun",
            "c,dev,2,3,3,awful sun", "d,dev,3,3,3,lovely rain"]  # fmt: skip
    write(tmp_path / "emobank/emobank-train-dev.csv.gz", *rows)
    (audit,) = (part(tmp_path, 0) for part in AUDITS.load("emobank"))
    assert audit.figures[0].value == pytest.approx(2 / 3)  # always negative


@pytest.mark.shared
def test_the_most_novel_tenth_and_names_have_controls(shared):
    (audit,) = (part(shared / "data", 0) for part in AUDITS.load("novelty"))
    found = {figure.name: figure for figure in audit.figures}
    assert 0.05 < found["audit.novelty.top.constant.accuracy"].value < 0.15
    assert found["audit.novelty.top.constant.accuracy"].n == 3552
