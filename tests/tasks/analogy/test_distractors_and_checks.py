"""Proposals keep their kinds apart, checks find what is wrong, repairs do what they say."""

import pytest

from analogies import FRAMES, METAPHORS, an_item
from trope.corpora.conceptual_metaphors import read_frames, read_metaphors
from trope.corpora.mean import read_mean, spoken
from trope.lexicon.vectors import WordVectors, read_vectors
from trope.tasks.analogy.checks import check_items, repair_items, spelling_accuracy
from trope.tasks.analogy.controls import overlap, overlaps, share_of_gold
from trope.tasks.analogy.distractors import FrameInventory, eligible, head, propose


@pytest.fixture
def inventory(tmp_path):
    (tmp_path / "m.yaml").write_text(METAPHORS)
    (tmp_path / "f.yaml").write_text(FRAMES)
    vectors = WordVectors(["soil", "smoke", "burden"], [[1.0, 0], [0, 1], [1, 1]])
    return FrameInventory.of(
        read_metaphors(tmp_path / "m.yaml"), read_frames(tmp_path / "f.yaml"), vectors
    )


def test_only_metaphors_of_the_right_shape_are_eligible(inventory):
    names = [metaphor.name for metaphor in eligible(inventory.metaphors)]
    assert names == ["IDEA_IS_SEED", "DEBTS_ARE_WEIGHTS", "RUMOUR_IS_FIRE"]


def test_proposals_are_of_their_kinds(inventory):
    metaphor = inventory.metaphors[0]
    proposal = propose(metaphor, metaphor.mappings[0], inventory)
    kinds = {code: {c.text for c in found} for code, found in proposal.candidates.items()}
    assert kinds["sDdA"] <= {"garden", "soil", "sprout", "seed_seller"}
    assert "fire_sower" in kinds["dDsA"]  # a role of that name, and what thinker maps to elsewhere
    own = {"garden", "seed", "soil", "mind"}
    assert kinds["dDdA"]
    assert not kinds["dDdA"] & own
    assert "seed_sower" not in kinds["sDdA"] | kinds["dDsA"] | kinds["dDdA"]
    assert all(c.origin for found in proposal.candidates.values() for c in found)
    item = proposal.item("1")
    assert (item.first_domain, item.element, item.gold) == ("IDEA", "thinker", "seed_sower")


def test_a_metaphor_of_another_shape_has_no_proposals(inventory):
    assert propose(inventory.metaphors[3], inventory.metaphors[0].mappings[0], inventory) is None


def test_frames_that_share_a_noun_are_akin(inventory):
    assert inventory.akin("planting", "planting")
    assert not inventory.akin("planting", "burning")
    assert "planting" not in inventory.apart(inventory.metaphors[0])


def test_head_of_a_role():
    assert [head(r) for r in ("heat_level", "cause_of_x", "fighter_2")] == [
        "level",
        "cause",
        "fighter",
    ]


def kinds(items):
    return [(fault.item, fault.kind) for fault in check_items(items)]


def test_checks_find_doubles_and_the_right_choice_among_the_wrong():
    quiet = ("qqq", "soil", "baker", "moon")
    doubled = an_item("qqq", "soil", "soil", "moon", number="2", element="fact")
    gold = an_item("baker", "soil", "Baker", "moon", number="3", element="plan")
    again = an_item(*quiet, number="4")
    other = an_item("www", "soil", "baker", "moon", number="5")
    found = kinds([an_item(*quiet), doubled, gold, again, other])
    assert ("2", "doubled choice") in found
    assert ("3", "gold among the wrong") in found
    assert ("4", "doubled item") in found
    assert ("5", "doubled question") in found


def test_checks_tell_what_spelling_gives_away():
    item = an_item("seed_thinker", "soil", "baker", "moon")
    (fault,) = check_items([item])
    assert fault.kind == "spelling"
    assert "shares as many" in fault.hint
    assert spelling_accuracy([item]) == 1.0
    assert check_items([an_item("xyz", "seed_thinker", "baker", "moon")]) == []


def test_ties_are_shared_whatever_the_place():
    assert share_of_gold([1.0, 1.0, 0.0, 1.0]) == pytest.approx(1 / 3)
    assert share_of_gold([0.0, 1.0, 0.0, 0.0]) == 0.0


def test_a_repair_takes_away_what_spelling_gave(inventory):
    item = an_item("sower_of_it", "soil", "aqua", "moon")
    assert share_of_gold(overlaps(item)) == 1.0
    (fixed,), (repair,) = repair_items([item], inventory)
    assert overlap(repair.after, item) > overlap(item.gold, item)
    assert fixed.gold == item.gold
    assert sum(a != b for a, b in zip(fixed.choices, item.choices, strict=True)) == 1
    assert share_of_gold(overlaps(fixed)) == 0.0


def test_a_doubled_choice_is_replaced(inventory):
    item = an_item("qqq", "soil", "soil", "moon")
    (fixed,), (repair,) = repair_items([item], inventory)
    assert repair.code == "dDsA"
    assert len(set(map(spoken, fixed.choices))) == 4


def test_items_of_unknown_metaphors_stay_as_they_are(inventory):
    item = an_item("seed_thinker", "soil", "baker", "moon")
    stranger = type(item)("9", "SEA", "SEED", "thinker", item.choices, 9)
    assert repair_items([stranger], inventory) == ([stranger], [])


@pytest.mark.shared
def test_the_published_set_has_its_known_faults(shared):
    items = list(read_mean(shared / "data/mean/MEAN_datasetV1.csv"))
    faults = [fault for fault in check_items(items) if fault.kind != "spelling"]
    assert [(fault.item, fault.kind) for fault in faults] == [
        ("35", "doubled question"),
        ("64", "doubled choice"),
        ("67", "doubled question"),
        ("100", "doubled question"),
    ]
    assert spelling_accuracy(items) == pytest.approx(0.6732, abs=1e-4)


@pytest.mark.shared
def test_the_repaired_variant_gives_less_away(shared):
    folder = shared / "data/conceptual"
    items = list(read_mean(shared / "data/mean/MEAN_datasetV1.csv"))
    inventory = FrameInventory.of(
        read_metaphors(folder / "metaphors.yaml"),
        read_frames(folder / "frames.yaml"),
        read_vectors(),
    )
    repaired, repairs = repair_items(items, inventory)
    assert len(repairs) > 30
    assert spelling_accuracy(repaired) < 0.45
    assert [item.gold for item in repaired] == [item.gold for item in items]
