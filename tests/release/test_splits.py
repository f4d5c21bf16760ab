"""Parts share no group; what is alike is in one group."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.release.finished_run import RunItem
from trope.release.tables import PARTS, Groups, group_items, split_groups


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30))
def test_joined_positions_are_one_set(pairs: list[tuple[int, int]]) -> None:
    groups = Groups(20)
    for one, other in pairs:
        groups.join(one, other)
    assert all(groups.first(one) == groups.first(other) for one, other in pairs)
    untouched = set(range(20)) - {position for pair in pairs for position in pair}
    assert all(groups.first(position) == position for position in untouched)
    assert all(groups.first(position) <= position for position in range(20))


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200), st.integers(0, 5))
def test_no_group_is_in_two_parts(groups: list[int], seed: int) -> None:
    parts = split_groups(groups, seed=seed)
    places = {(group, part) for group, part in zip(groups, parts, strict=True)}
    assert len(places) == len(set(groups))
    for part in PARTS[1:]:
        assert parts.count(part) <= round(0.1 * len(groups))
    assert parts == split_groups(groups, seed=seed)


def test_single_items_fill_the_shares() -> None:
    parts = split_groups(range(1000))
    assert [parts.count(part) for part in PARTS] == [800, 100, 100]
    assert parts != split_groups(range(1000), seed=1)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.8, 0.1, 0.2), (1.2, -0.1, -0.1)])
def test_shares_must_be_shares(shares: tuple[float, ...]) -> None:
    with pytest.raises(BadInput, match="add up to 1"):
        split_groups([1, 2], shares=shares)


def items(*texts: str, **fields: list[str]) -> list[RunItem]:
    return [
        RunItem(str(at), text, {name: values[at] for name, values in fields.items()})
        for at, text in enumerate(texts)
    ]


def test_a_text_and_its_transformations_stay_together() -> None:
    found = group_items(
        items(
            "The mayor opens the new bridge today",
            "Snow falls on the northern hills again",
            "The mayor swallows the new bridge today",  # one word is another
            "the mayor opens the new bridge TODAY!!",  # the same, nearly
        )
    )
    assert found == [0, 1, 0, 0]


def test_fields_and_sources_join() -> None:
    texts = ("Cats sleep all day long", "Rain is good for roses", "Nobody saw the ship leave")
    assert group_items(items(*texts)) == [0, 1, 2]
    assert group_items(items(*texts, verb=["a", "b", "a"]), by="verb") == [0, 1, 0]
    assert group_items(items(*texts, source_id=["1", "2", "2"])) == [0, 1, 1]
    assert group_items(items(*texts, source_id=["", "", "2"])) == [0, 1, 2]


def test_a_missing_field_is_told() -> None:
    with pytest.raises(BadInput, match="item '0' has no field 'verb'"):
        group_items(items("Cats sleep"), by="verb")
