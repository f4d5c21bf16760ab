"""Samples from any corpus: occurrences, contexts, subsets, reviews, two annotators."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput, BadRecord
from trope.corpora.records import NameSample, TextRecord
from trope.corpora.semeval2007 import read_samples, write_samples
from trope.tasks.metonymy.samples import (
    collect_samples,
    company_frame,
    count_readings,
    country_frame,
    draw_subsets,
    kappas,
    read_review_sheet,
    reconcile_both,
    reconcile_checked,
    write_review_sheet,
)

TEXT = "It rained. Peru slept. We saw both Koreas. Then peru woke. Nobody\nleft Chile's coast."


def gather(text=TEXT, frame=None):
    return list(collect_samples([TextRecord("doc", text, 3)], frame or country_frame()))


def test_every_occurrence_is_a_sample_with_its_context():
    samples = gather()
    assert [(s.id, s.name, len(s.sentences), s.target) for s in samples] == [
        ("samp1", "Peru", 3, 1),  # one sentence before, at the edge of the text
        ("samp2", "Koreas", 4, 2),
        ("samp3", "peru", 4, 2),
        ("samp4", "Chile", 3, 2),  # none after
    ]
    assert samples[3].sentence == "Nobody left Chile's coast."
    assert samples[0].title == "doc"


def test_companies_come_from_a_list_or_are_well_known(tmp_path):
    (tmp_path / "firms.txt").write_text("Acme\tAcme Rockets\n")
    frame = company_frame(tmp_path / "firms.txt")
    text = "Acme Rockets and two Acmes. Volvo too."
    assert [s.name for s in gather(text, frame)] == ["Acme Rockets", "Acmes"]
    assert [s.name for s in gather(text, company_frame())] == ["Volvo"]


def test_countries_of_the_package():
    pytest.importorskip("pycountry", reason="pip install 'trope[names]'")
    assert [s.name for s in gather("In Bolivia.", country_frame(package=True))] == ["Bolivia"]


def test_collected_samples_can_be_written_and_read(tmp_path):
    write_samples(gather(), tmp_path / "samples.xml")
    read = list(read_samples(tmp_path / "samples.xml"))
    assert [(s.id, s.sentences, s.start) for s in read] == [
        (s.id, s.sentences, s.start) for s in gather()
    ]


@given(st.text(alphabet=st.sampled_from("Peru. \nChileKorsa!?'é😀"), max_size=60))
def test_samples_of_any_text_are_exact(text):
    for sample in gather(text):
        assert sample.sentence[sample.start : sample.end] == sample.name


def labelled(reading, number, name_class="location"):
    return NameSample(f"s{number}", "Peru", name_class, ("Peru",), 0, 0, 4, reading, "fine")


SAMPLES = [labelled("literal", number) for number in range(10)]


def test_subsets_are_random_apart_and_repeatable():
    train, test = draw_subsets(SAMPLES, train=5, test=3, seed=1)
    assert (len(train), len(test)) == (5, 3)
    assert not {s.id for s in train} & {s.id for s in test}
    assert (train, test) == draw_subsets(SAMPLES, train=5, test=3, seed=1)
    assert (train, test) != draw_subsets(SAMPLES, train=5, test=3, seed=2)
    assert train == sorted(train, key=lambda s: s.id)
    with pytest.raises(BadInput, match="10 samples do not give 8 and 3"):
        draw_subsets(SAMPLES, train=8, test=3, seed=1)


def test_readings_are_counted_with_zeros_and_a_total():
    counts = count_readings([*SAMPLES, labelled("place-for-people", 11)], "location")
    assert counts["literal"] == 10
    assert (counts["place-for-people"], counts["place-for-event"], counts["total"]) == (1, 0, 11)
    with pytest.raises(BadInput, match="fine reading of the class organisation"):
        count_readings(SAMPLES, "organisation")


def test_review_sheet_is_read_with_its_decisions(tmp_path):
    path = tmp_path / "sheet.csv"
    write_review_sheet(SAMPLES[:3], path)
    assert read_review_sheet(path) == dict.fromkeys(("s0", "s1", "s2"), "keep")
    text = path.read_text().replace("s1,Peru,Peru,", "s1,Peru,Peru,homonym")
    decided = read_review_sheet(io.BytesIO(text.encode()))
    assert decided == {"s0": "keep", "s1": "homonym", "s2": "keep"}
    with pytest.raises(BadRecord, match="unknown decision 'maybe'"):
        read_review_sheet(io.BytesIO(b"id,decision\ns1,maybe\n"))


FIRST = {f"s{n}": "literal" for n in range(10)} | {"s8": "place-for-people", "s9": "mixed"}
SECOND = FIRST | {"s7": "place-for-people", "s9": "place-for-people"}


def test_two_annotators_are_reconciled_and_the_unresolved_left_out():
    done = reconcile_both(SAMPLES, FIRST, SECOND, {"s9": "place-for-people"})
    assert done.removed == {"s7": "unresolved"}
    assert {s.id: s.reading for s in done.kept}["s9"] == "place-for-people"
    assert len(done.kept) == 9
    assert done.kappas is not None
    assert done.kappas["fine"].name == "cohen"


def test_cohens_kappa_by_hand():
    # coarse: first 8 literal, 2 not; second 7 literal, 3 not; they differ in s7 alone
    chance = 0.8 * 0.7 + 0.2 * 0.3
    found = kappas(SAMPLES, FIRST, SECOND)
    assert found["coarse"].value == pytest.approx((0.9 - chance) / (1 - chance))
    # fine: literal 8/7, people 1/3, mixed 1/0; they differ in s7 and s9
    chance = 0.8 * 0.7 + 0.1 * 0.3
    assert found["fine"].value == pytest.approx((0.8 - chance) / (1 - chance))
    assert found["fine"].n == 10


def test_a_kappa_without_variety_is_undefined():
    same = dict.fromkeys(FIRST, "literal")
    found = kappas(SAMPLES, same, same)["coarse"]
    assert found.value is None
    assert found.note


def test_doubtful_cases_of_one_annotator_are_checked_by_another():
    done = reconcile_checked(SAMPLES, FIRST, {"s8", "s9"}, {"s8": "literal"})
    assert done.removed == {"s9": "unresolved"}
    assert {s.id: s.reading for s in done.kept}["s8"] == "literal"
    with pytest.raises(BadInput, match="doubtful sample 'zz'"):
        reconcile_checked(SAMPLES, FIRST, {"zz"}, {})
    with pytest.raises(BadInput, match="'odd' is not a fine reading"):
        reconcile_checked(SAMPLES, {**FIRST, "s0": "odd"}, (), {})
