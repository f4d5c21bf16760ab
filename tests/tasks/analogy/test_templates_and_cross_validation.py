"""Verbalisations are exact, user templates are checked, folds keep their promises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analogies import an_item
from trope.core.errors import BadConfig, BadInput
from trope.corpora.mean import Analogy
from trope.tasks.analogy.cross_validation import KINDS, make_folds
from trope.tasks.analogy.templates import read_templates


def test_the_paper_s_templates_are_exact():
    item = an_item()
    said = {name: t.fill(item, item.gold) for name, t in read_templates().items()}
    assert said == {
        "t1": ("' idea ' : ' seed '", "' thinker ' : ' seed sower '"),
        "t2": ("' idea ' is to ' seed '", "what ' thinker ' is to ' seed sower '."),
        "t3": ("If ' idea ' is like ' seed ',", "then ' thinker ' is like ' seed sower '."),
    }


@pytest.mark.parametrize(
    ("start", "end", "says"),
    [
        ("{first_domain}", "{element}", "lacks {choice}"),
        ("{source}", "{choice}", "has {source}, known: first_domain"),
        ("{first_domain", "{choice}", "a brace too many or too few"),
    ],
)
def test_faults_of_own_templates_are_told(tmp_path, start, end, says):
    path = tmp_path / "own.toml"
    path.write_text(f'[[templates]]\nname = "own"\nstart = "{start}"\nend = "{end}"\n')
    with pytest.raises(BadConfig) as caught:
        read_templates(path)
    assert says in str(caught.value)


def test_own_templates_are_filled(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('[[templates]]\nname = "own"\nstart = "{second_domain}?"\nend = "{choice}!"\n')
    templates = read_templates(path)
    assert templates["own"].fill(an_item(), "moon") == ("seed?", "moon!")


def some_items(sizes):
    return [
        Analogy(f"{group}-{at}", f"D{group}", "E", "x", ("a", "b", "c", "d"), 1)
        for group, size in enumerate(sizes)
        for at in range(size)
    ]


@given(st.lists(st.integers(1, 6), min_size=4, max_size=30), st.integers(0, 99), st.booleans())
def test_every_item_is_in_one_fold_and_metaphors_stay_together(sizes, seed, grouped):
    items = some_items(sizes)
    kind = "grouped" if grouped else "random"
    folds = make_folds(items, kind, seed, 4)
    assert sorted(at for fold in folds for at in fold) == list(range(len(items)))
    assert folds == make_folds(items, kind, seed, 4)
    if grouped:
        for metaphor in {item.metaphor for item in items}:
            places = {at for at, item in enumerate(items) if item.metaphor == metaphor}
            assert sum(bool(places & set(fold)) for fold in folds) == 1
    else:
        assert max(map(len, folds)) - min(map(len, folds)) <= 1


def test_seeds_draw_other_folds():
    items = some_items([3] * 12)
    for kind in KINDS:
        assert make_folds(items, kind, 0) != make_folds(items, kind, 1)


def test_too_few_metaphors_are_said():
    with pytest.raises(BadInput, match="2 metaphors cannot fill 3 folds"):
        make_folds(some_items([5, 5]), "grouped", 0, 3)
