"""Systems keep one contract: probabilities of all readings, the same in every run."""

import pytest
from names_by_hand import in_place, subject

from builders import FakePipeline
from trope.catalog import METONYMY_SYSTEMS
from trope.core.errors import BadInput, BadRecord
from trope.core.records import Metonymy
from trope.corpora.records import NameSample
from trope.lexicon.readings import readings
from trope.tasks.metonymy.baselines import MajorityReading
from trope.tasks.metonymy.task import (
    decide,
    metonymy_at,
    parse_samples,
    words_within,
)
from trope.tasks.metonymy.validation import (
    choose_by_cross_validation,
    cross_predict,
    draw_folds,
    share_right,
)

SAYING, LIVING = (
    ("deny", "refuse", "agree", "warn", "insist"),
    ("live", "stay", "rain", "grow", "die"),
)
NAMES = [subject("Peru", verb) for verb in SAYING] + [in_place("Chile", verb) for verb in LIVING]
NAMES += [subject("Acme", verb, "organisation") for verb in SAYING]
NAMES += [in_place("Acme", verb, "organisation") for verb in LIVING]
READINGS = ["place-for-people"] * 5 + ["literal"] * 5
READINGS += ["organisation-for-members"] * 5 + ["literal"] * 5


LEARNERS = sorted({*METONYMY_SYSTEMS} - {"encoder", "transformers"})
"""The others are trained elsewhere."""


@pytest.fixture(params=LEARNERS)
def system(request):
    if METONYMY_SYSTEMS[request.param].extra:
        pytest.importorskip("sklearn", reason="pip install 'trope[systems]'")
    return METONYMY_SYSTEMS.load(request.param)()


def test_a_system_gives_every_reading_of_the_class_a_probability(system):
    system.fit(NAMES, READINGS)
    for name, row in zip(NAMES, system.predict(NAMES), strict=True):
        assert set(row) == set(readings(name.name_class))
        assert sum(row.values()) == pytest.approx(1)
        assert all(isinstance(value, float) and 0 <= value <= 1 for value in row.values())


def test_a_system_says_the_same_again_alone_and_in_company(system):
    system.fit(NAMES, READINGS)
    together = system.predict(NAMES)
    assert together == system.predict(NAMES)
    assert system.predict(NAMES[:1])[0] == pytest.approx(together[0])
    assert system.predict([]) == []


def test_a_system_refuses_what_it_cannot_learn_from(system):
    with pytest.raises(BadInput, match="20 names but 1 readings"):
        system.fit(NAMES, ["literal"])
    with pytest.raises(BadInput, match="'odd' is not a reading of a location"):
        system.fit(NAMES[:1], ["odd"])
    system.fit(NAMES[:10], READINGS[:10])
    with pytest.raises(BadInput, match="was not trained"):
        system.predict(NAMES[10:])


@pytest.mark.parametrize("name", ["roles", "shallow"])
def test_linear_systems_learn_what_is_there_to_learn(name):
    pytest.importorskip("sklearn", reason="pip install 'trope[systems]'")
    system = METONYMY_SYSTEMS.load(name)()
    system.fit(NAMES, READINGS)
    [row] = system.predict([subject("Bolivia", "complain")])
    assert decide(row, "location", "fine") == "place-for-people"
    with pytest.raises(BadInput, match="all readings are the same"):
        METONYMY_SYSTEMS.load(name)().fit(NAMES[:2], READINGS[:2])


def test_roles_need_a_real_archive_of_verbnet(tmp_path):
    (tmp_path / "x.zip").write_text("none")
    with pytest.raises(BadRecord, match="is not a zip archive"):
        METONYMY_SYSTEMS.load("roles")(verbnet=tmp_path / "x.zip")


def test_an_untrained_majority_says_literal():
    [row] = MajorityReading().predict(NAMES[:1])
    assert row["literal"] == 1


def test_rougher_labels_follow_from_sums():
    row = dict.fromkeys(readings("location"), 0.0)
    row |= {"literal": 0.4, "place-for-people": 0.3, "mixed": 0.3}
    assert [decide(row, "location", level) for level in ("fine", "medium", "coarse")] == [
        "literal", "literal", "non-literal",
    ]  # fmt: skip


def test_a_metonymy_is_a_row_of_an_analysis():
    row = {**dict.fromkeys(readings("location"), 0.0), "place-for-people": 1.0}
    assert metonymy_at(3, 7, "Peru", "location", row) == Metonymy(
        3, 7, "location", "place-for-people", 1.0, "government or people of Peru"
    )
    row |= {"place-for-people": 2 / 3, "literal": 1 / 3}
    assert metonymy_at(3, 7, "Peru", "location", row).score == 0.6667


def test_samples_get_the_trees_of_their_own_sentence():
    sample = NameSample("a", "New Peru", "location", ("No.", "In New Peru's hills."), 1, 3, 11)
    [name] = parse_samples([sample], FakePipeline())
    assert name.parse.words[name.first : name.last] == ("New", "Peru")
    assert (name.id, name.name_class) == ("a", "location")
    assert name.sentences[name.target][name.start : name.end] == "New Peru"


def test_words_that_share_a_character_are_within():
    spans = [(0, 2), (3, 8), (8, 10)]
    assert words_within(spans, 5, 9) == (1, 3)
    assert words_within(spans, 2, 3) == (0, 0)


def test_folds_hold_every_name_once_and_share_out_readings():
    folds = draw_folds(NAMES, READINGS, seed=1, folds=5)
    assert sorted(at for fold in folds for at in fold) == list(range(20))
    assert {len(fold) for fold in folds} == {4}
    assert all(sum(READINGS[at] == "literal" for at in fold) == 2 for fold in folds)
    assert folds == draw_folds(NAMES, READINGS, seed=1, folds=5)
    assert folds != draw_folds(NAMES, READINGS, seed=2, folds=5)
    with pytest.raises(BadInput, match="cannot be split into 21 folds"):
        draw_folds(NAMES, READINGS, seed=1, folds=21)


class Cheat(MajorityReading):
    """Knows the readings of the names that it was trained on, and calls all others mixed."""

    def fit(self, names, given):
        super().fit(names, given)
        self.seen = dict(zip(names, given, strict=True))

    def predict(self, names):
        return [
            {reading: float(reading == self.seen.get(name, "mixed")) for reading in readings(
                name.name_class)}
            for name in names
        ]  # fmt: skip


def test_nobody_is_judged_by_a_system_that_knows_him():
    predicted = cross_predict(Cheat, NAMES, READINGS, seed=0, folds=5)
    assert all(row["mixed"] == 1 for row in predicted)
    assert share_right(NAMES, predicted, READINGS, "coarse") == 0.5  # mixed is non-literal


def test_the_better_system_is_chosen():
    best, scores = choose_by_cross_validation(
        {"cheat": Cheat, "majority": MajorityReading}, NAMES, READINGS, seed=0
    )
    assert best == max(scores, key=lambda name: scores[name])
    assert set(scores) == {"cheat", "majority"}
