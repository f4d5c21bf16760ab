"""The encoder's readings of names: hidden, as they are, and both, by hand-made numbers."""

from math import exp, log
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from names_by_hand import in_place, subject

from metaphor_model import ALL_LABELS, LABELS, READINGS, write_model
from trope.core.errors import BadInput
from trope.core.records import Parse
from trope.encoder.session import METONYMY, Encoder
from trope.lexicon.readings import readings
from trope.tasks.metonymy import encoder_head
from trope.tasks.metonymy.encoder_head import EncoderMetonymy, blend, build
from trope.tasks.metonymy.task import NameInContext


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"), ALL_LABELS)


@pytest.fixture(scope="module")
def encoder(folder: Path) -> Encoder:
    return Encoder(folder=folder, threads=1)


def by_hand(*words: tuple[str, float], name_class: str = "location") -> dict[str, float]:
    """The mean of the logarithms of what is said of words, each by its share."""
    names = list(readings(name_class))
    sums = dict.fromkeys(names, 0.0)
    for word, share in words:
        reading, logit = READINGS.get(word, ("", 0.0))
        logits = [logit if f"{name_class}:{name}" == reading else 0.0 for name in names]
        whole = log(sum(map(exp, logits)))
        for name, own in zip(names, logits, strict=True):
            sums[name] += share * (own - whole)
    total = sum(map(exp, sums.values()))
    return {name: exp(value) / total for name, value in sums.items()}


def close(row: dict[str, float], wanted: dict[str, float]) -> bool:
    return row == pytest.approx(wanted, abs=1e-6) and list(row) == list(wanted)


@pytest.mark.parametrize(
    ("mask", "shares"),
    [
        ("plain", [("france", 1)]),
        ("masked", [("[MASK]", 1)]),
        ("both", [("france", 0.5), ("[MASK]", 0.5)]),
    ],
)
def test_the_name_is_read_as_it_is_hidden_or_both(encoder, mask, shares) -> None:
    system = EncoderMetonymy(encoder, mask=mask)
    for name in (subject("France", "sleeps"), in_place("France", "live")):
        [row] = system.predict([name])
        assert sum(row.values()) == pytest.approx(1)
        assert close(row, by_hand(*shares))


def test_only_readings_of_the_class_count(encoder) -> None:
    [place, company] = EncoderMetonymy(encoder, mask="plain").predict(
        [subject("Nokia", "fell"), subject("Nokia", "fell", "organisation")]
    )
    assert close(place, by_hand(("nokia", 1)))
    assert len(set(place.values())) == 1
    assert close(company, by_hand(("nokia", 1), name_class="organisation"))
    assert max(company, key=company.get) == "organisation-for-index"


def test_words_of_a_name_are_averaged(encoder) -> None:
    parse = Parse(("We", "saw", "France", "Peru", "."), (), (), (), (), ())
    name = NameInContext("France Peru", "location", parse, 2, 4)
    [row] = EncoderMetonymy(encoder, mask="both").predict([name])
    assert close(row, by_hand(("france", 0.25), ("peru", 0.25), ("[MASK]", 0.5)))


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=15,
)
@given(st.integers(0, 900), st.integers(0, 900))
def test_a_name_is_found_anywhere_in_an_overlong_sentence(encoder, before, after) -> None:
    parse = Parse((*["rain"] * before, "France", *["fell"] * after), (), (), (), (), ())
    name = NameInContext("France", "location", parse, before, before + 1)
    [row] = EncoderMetonymy(encoder).predict([name])
    assert close(row, by_hand(("france", 0.5), ("[MASK]", 0.5)))


def test_names_of_one_sentence_share_its_pass(encoder, monkeypatch) -> None:
    sent: list[list[tuple[str, ...]]] = []
    submit = encoder.submit

    def watched(sentences, outputs):
        sent.append(list(sentences))
        return submit(sentences, outputs)

    monkeypatch.setattr(encoder, "submit", watched)
    parse = Parse(("France", "beat", "Peru"), (), (), (), (), ())
    names = [NameInContext(parse.words[at], "location", parse, at, at + 1) for at in (0, 2)]
    EncoderMetonymy(encoder).predict(names)
    assert sent == [
        [("France", "beat", "Peru")],
        [("[MASK]", "beat", "Peru"), ("France", "beat", "[MASK]")],
    ]


def test_names_that_leave_no_doubt_are_not_hidden(encoder, monkeypatch) -> None:
    sure, doubtful = subject("France", "slept"), subject("Lima", "slept")
    plain = EncoderMetonymy(encoder, mask="plain").predict([sure, doubtful])
    limit = max(plain[0].values())
    assert max(plain[1].values()) < limit
    monkeypatch.setattr(encoder_head, "_SURE", limit)
    monkeypatch.setattr(encoder_head, "_DOUBTFUL", limit - 0.01)
    sent: list[tuple[str, ...]] = []
    submit = encoder.submit
    monkeypatch.setattr(
        encoder, "submit", lambda given, outputs: sent.extend(given) or submit(given, outputs)
    )
    [first, second] = EncoderMetonymy(encoder).predict([sure, doubtful, sure])[:2]
    assert sent == [sure.parse.words, doubtful.parse.words, ("[MASK]", *doubtful.parse.words[1:])]
    assert first == plain[0]
    assert second != plain[1]


@given(st.floats(0.5, 1), st.floats(0.01, 0.99))
def test_the_hidden_name_counts_less_the_surer_the_visible_one_is(seen, hidden) -> None:
    plain, masked = {"a": seen, "b": 1 - seen}, {"a": hidden, "b": 1 - hidden}
    found = blend(plain, masked)["a"]
    half = (seen * hidden) ** 0.5 / ((seen * hidden) ** 0.5 + ((1 - seen) * (1 - hidden)) ** 0.5)
    if seen >= 0.95:
        assert found == pytest.approx(seen)
    elif seen <= 0.9:
        assert found == pytest.approx(half)
    else:
        assert min(seen, half) - 1e-9 <= found <= max(seen, half) + 1e-9


@pytest.mark.parametrize("edge", [0.9, 0.95])
def test_scores_do_not_jump_where_the_hidden_name_begins_to_count(edge) -> None:
    masked = {"a": 0.1, "b": 0.9}
    below, above = (
        blend({"a": seen, "b": 1 - seen}, masked)["a"] for seen in (edge - 1e-6, edge + 1e-6)
    )
    assert below == pytest.approx(above, abs=1e-3)


def test_what_the_network_said_already_is_not_asked_again(encoder, monkeypatch) -> None:
    far = Parse((*["rain"] * 700, "France", *["fell"] * 300), (), (), (), (), ())
    names = [
        NameInContext("France", "location", far, 700, 701),
        *(subject(name, "slept") for name in ("Peru", "Chile", "Peru")),
    ]
    wanted = EncoderMetonymy(encoder).predict(names)
    # Chile's sentence was not read before, and one that was has no name
    read = [names[1].parse.words, ("It", "rained"), far.words, names[3].parse.words]
    batches = [future.result() for future in encoder.submit(read, METONYMY)]
    sent: list[tuple[str, ...]] = []
    submit = encoder.submit
    monkeypatch.setattr(
        encoder, "submit", lambda given, outputs: sent.extend(given) or submit(given, outputs)
    )
    found = EncoderMetonymy(encoder, sentences=read, read=batches).predict(names)
    for row, other in zip(found, wanted, strict=True):
        assert row == pytest.approx(other, abs=1e-12)
    assert [words for words in sent if "[MASK]" not in words] == [names[2].parse.words]
    assert len(sent) == 3  # with the names hidden, the three short sentences are one


def test_alone_and_in_company_are_the_same(encoder) -> None:
    names = [subject("France", "slept"), in_place("Peru", "live"), subject("Chile", "won")] * 20
    system = EncoderMetonymy(encoder)
    assert system.predict(names) == [system.predict([name])[0] for name in names]
    assert system.predict([]) == []


def test_it_ships_trained(encoder) -> None:
    with pytest.raises(BadInput, match="ships trained"):
        EncoderMetonymy(encoder).fit([], [])


def test_what_cannot_be_asked_is_refused(encoder, tmp_path) -> None:
    with pytest.raises(BadInput, match="mask is 'none'; known: both, masked, plain"):
        EncoderMetonymy(encoder, mask="none")
    with pytest.raises(BadInput, match="no head for metonymy"):
        build(folder=write_model(tmp_path / "without", LABELS), threads=1)
    fewer = msgspec.structs.replace(ALL_LABELS, metonymy=ALL_LABELS.metonymy[1:])
    with pytest.raises(BadInput, match="another scheme"):
        build(folder=write_model(tmp_path / "fewer", fewer), threads=1)


def test_both_is_the_blend_of_plain_and_masked(encoder: Encoder) -> None:
    names = [subject("France", "sleeps"), in_place("Peru", "live")]
    both, plain, masked = (
        EncoderMetonymy(encoder, mask=mask).predict(names) for mask in ("both", "plain", "masked")
    )
    for one, a, b in zip(both, plain, masked, strict=True):
        assert close(blend(a, b), one)
