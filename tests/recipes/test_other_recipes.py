"""Rules of the recipes for sentiment, names and analogies, and of the simulated crowd."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from trope.core.judgments import Judgment
from trope.recipes import crowd
from trope.recipes.recipe import Context
from trope.recipes.records import Record
from trope.recipes.semeval2007.recipe import _fitting, find_samples
from trope.recipes.semeval2015.gold import _trial_labels, simulate

LABELS = ("x", "y", "z")


@given(st.integers(0, 500), st.integers(0, 300), st.integers(0, 300))
def test_subsets_never_exceed_what_there_is(there, train, test):
    found = _fitting(there, train, test)
    assert sum(found) == min(there, train + test)
    assert min(found) >= 0


def test_name_stands_in_its_context_with_sentences_around():
    text = "Nobody spoke. Rain fell. It was late. France won again. He slept. The end."
    settings = SimpleNamespace(companies="", places="", ignore_case=False)
    (sample,) = find_samples(iter([Record("doc", text)]), Context(None, settings))
    assert sample.text == "Rain fell. It was late. France won again. He slept."
    assert sample.text[sample.fields["start"] : sample.fields["end"]] == "France"
    assert sample.fields["name_class"] == "location"


def test_bad_workers_are_dismissed_and_good_ones_weighed():
    people = SimpleNamespace(annotators=7, skill=0.9, spread=0.02, machine=0.5)
    workers = SimpleNamespace(honest=12, constant=1, guessing=1)
    context = Context(None, SimpleNamespace(seed=3, crowd=people, workers=workers))
    items = [
        Record(f"t{n}", "a tweet", {"subset": "trial" if n < 25 else "work", "category": "irony"})
        for n in range(125)
    ]
    done = simulate(items, context)
    assert {"a13", "a14"} <= set(done.tables["dismissed"])
    assert len(done.tables["dismissed"]) < 7
    assert [label.item for label in done.labels] == [item.id for item in items]
    scored = [label for label in done.labels if label.score is not None]
    assert len(scored) > 60
    assert all(-5 <= label.score <= 5 for label in scored)
    assert all(label.reason for label in done.labels if label.label is None)


def test_answers_are_as_good_as_the_skill_says():
    rng = crowd.generator(1, "test")
    right = sum(crowd.answer(rng, "x", LABELS, 0.8) == "x" for _ in range(4000)) / 4000
    assert abs(right - 0.8) < 0.03
    truths = crowd.hidden_truth(rng, ["x"] * 4000, LABELS, 0.7)
    assert abs(truths.count("x") / 4000 - (0.7 + 0.3 / 3)) < 0.03


@given(st.integers(0, 10_000), st.text(max_size=5))
def test_random_numbers_depend_on_seed_and_purpose_alone(seed, purpose):
    one, two = (crowd.generator(seed, purpose).random() for _ in range(2))
    assert one == two
    assert one != crowd.generator(seed + 1, purpose).random()


def test_ties_and_silence_have_a_reason_instead_of_a_label():
    votes = [Judgment("i", "a", "x"), Judgment("i", "b", "y"), Judgment("j", "a", "x")]
    tied, clear, silent = crowd.majority_labels(votes, ["i", "j", "k"], why_none={"k": "skipped"})
    assert (tied.label, "tie" in tied.reason) == (None, True)
    assert (clear.label, clear.share, clear.reason) == ("x", 1.0, "")
    assert (silent.label, silent.reason) == (None, "skipped")


def test_scores_of_the_team_are_rounded_half_up():
    team = [Judgment("t1", name, score) for name, score in (("t01", "2"), ("t02", "3"))]
    team += [Judgment("t2", name, score) for name, score in (("t01", "-3"), ("t02", "-2"))]
    labels = _trial_labels(["t1", "t2"], team, native=())
    assert [(label.label, label.score) for label in labels] == [("3", 2.5), ("-2", -2.5)]
