"""Rules of the headline recipe: years, classes, candidates, gold+ and the tables."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from conftest import REPOSITORY
from newsmet_run import METAPHORICAL, write_run
from own_labels import score_rows, verb_rows, write_table
from trope import Pipeline
from trope.annotate.plan import read_plan
from trope.annotate.questions import read_answers
from trope.cli.main import main, run
from trope.core.errors import MissingData
from trope.core.judgments import Judgment
from trope.recipes.newsmet import headlines
from trope.recipes.newsmet.gold import _judged_dataset
from trope.recipes.newsmet.headlines import (
    draw_classes,
    find_candidates,
    in_years,
    long_enough,
    one_triplet,
    year_of,
)
from trope.recipes.newsmet.judged import GoldHeadline, gold_plus, tables
from trope.recipes.recipe import Context
from trope.recipes.records import Drop, Record

TEXT = "Mayor attacks plan before summer"
TEMPLATES = REPOSITORY / "src" / "trope" / "annotate" / "templates"


def with_settings(**settings):
    return Context(None, SimpleNamespace(**settings))


@pytest.mark.parametrize(
    ("told", "year"),
    [
        ("2018-04-24|https://x.example/a", 2018),
        ("http://x.example/2017/5/title", 2017),
        ("http://x.example/story-2017-title", None),
        ("http://x.example/12017/05", None),
        ("", None),
    ],
)
def test_year_of_a_date_or_an_address(told, year):
    assert year_of(told) == year


def test_years_drop_what_is_undated_only_where_years_are_wanted():
    rows = [Record(name, "x", {"year": y}) for name, y in (("a", 2017), ("b", 2019), ("c", None))]
    assert list(in_years(iter(rows), with_settings(years=()))) == rows
    assert list(in_years(iter(rows), with_settings(years=(2017, 2018)))) == [
        rows[0],
        Drop("b", "another-year"),
        Drop("c", "undated"),
    ]


@given(st.integers(0, 20), st.integers(0, 20))
def test_length_counts_words_between_blanks(words, more_than):
    record = Record("a", " ".join(["w"] * words))
    (outcome,) = long_enough(iter([record]), with_settings(more_than=more_than))
    assert outcome == (record if words > more_than else Drop("a", "too-short"))


def test_triplet_is_marked_and_others_have_a_reason(shipped):
    context = Context(None, SimpleNamespace(), reader=shipped)
    rows = [
        Record("a", "Mayor unveils three new bicycle lanes before the spring election"),
        Record("b", "A quiet weekend in the old town by the river"),
    ]
    kept, dropped = one_triplet(iter(rows), context)
    assert kept.text[kept.fields["start"] : kept.fields["end"]] == "unveils"
    assert [kept.fields[name] for name in ("verb", "subject", "object")] == [
        "unveil",
        "mayor",
        "lane",
    ]
    assert dropped == Drop("b", "no-triplet")


def test_classes_are_drawn_by_the_seed():
    rows = [
        Record(str(n), "", {"silver": "literal" if n % 2 else "metaphorical"}) for n in range(40)
    ]
    classes = SimpleNamespace(metaphorical=5, literal=0)

    def drawn(seed):
        found = draw_classes(iter(rows), with_settings(classes=classes, seed=seed))
        return [outcome.id for outcome in found if isinstance(outcome, Record)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert sum(int(name) % 2 == 0 for name in drawn(1)) == 5
    assert sum(int(name) % 2 == 1 for name in drawn(1)) == 20


def called(pipeline, headline, verbs):
    """What the detector calls a headline with each of these verbs."""
    texts = [headline.format(verb) for verb in verbs]
    found = pipeline.analyze_many(texts, kind="headline", tasks=("syntax", "metaphor"))
    return {
        "metaphorical" if max(one.figurative) >= one.sentence_threshold else "literal"
        for one in found
    }


@pytest.fixture(scope="module")
def own_detector(tmp_path_factory):
    """A system for whole texts that knows a few verbs, and a system for sentiment."""
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (trope[systems])")
    folder = tmp_path_factory.mktemp("systems")
    texts = [(text, label) for text, _, label in verb_rows()]
    for task, header, table in (
        ("metaphor", ("text", "label"), texts),
        ("sentiment", ("text", "score"), score_rows()),
    ):
        path = write_table(folder / f"{task}.csv", header, table)
        with pytest.raises(SystemExit) as leave:
            run(["train", task, "--on", str(path), "--out", str(folder / task)])
        assert not leave.value.code
    return folder


def test_a_detector_of_the_users_own_labels_headlines_and_sorts_candidates(
    own_detector, monkeypatch
):
    own = Pipeline(threads=1, systems=[own_detector / "metaphor"])
    settings = SimpleNamespace(candidates=SimpleNamespace(each=1, masked=""))
    context = Context(None, settings, reader=own)
    texts = [f"Coach had to plant the {noun} in the town" for noun in ("doubt", "tree")]
    told = headlines.predict((Record(t, t, {"start": 13, "end": 18}) for t in texts), context)
    assert [one.fields["silver"] for one in told] == ["metaphorical", "literal"]
    monkeypatch.setattr(headlines, "_masked_model", lambda _: SimpleNamespace(fill=fill))
    row = Record("a", "Coach had to swallow the report in the town", {"start": 13, "end": 20})
    for model in ("", "some-model"):
        settings.candidates.masked = model
        (kept,) = find_candidates(iter([row]), context)
        for direction in ("literal", "metaphorical"):
            verbs = kept.fields[direction]
            assert called(own, "Coach had to {} the report in the town", verbs) == {direction}


def fill(words, at, number):
    return ["bury", "wash", "digest", "slice", "harvest", "open", "swallow", "paint", "grow"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("detector={folder}/sentiment", "is a system for sentiment, not for metaphor; give a"),
        ("detector={folder}/none", "is no folder and no system that needs no training"),
        ("candidates.masked={folder}/none", "none"),
    ],
)
def test_what_the_settings_name_is_opened_before_anything_is_written(
    change, said, own_detector, tmp_path, capsys
):
    source = tmp_path / "h.csv"
    source.write_text(f"id,title\n1,{TEXT}\n")
    changes = [f"sources.headlines={source}:title", change.format(folder=own_detector)]
    arguments = [word for one in changes for word in ("--set", one)]
    with pytest.raises(SystemExit) as leave:
        run(["recipe", "run", "newsmet", "--out", str(tmp_path / "run"), *arguments])
    assert leave.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_candidates_take_the_form_of_the_verb_and_idioms_go(shipped):
    settings = SimpleNamespace(candidates=SimpleNamespace(each=3, masked=""))
    context = Context(None, settings, reader=shipped)
    idiom = "Minister turns a blind eye to the flood in the north"
    rows = [
        Record("a", "Mayor attacks plan before the summer", {"start": 6, "end": 13}),
        Record("b", idiom, {"start": 9, "end": 14}),
        Record("c", "Mayor attacks plan before the summer", {"start": 7, "end": 13}),
    ]
    kept, *dropped = find_candidates(iter(rows), context)
    for direction in ("literal", "metaphorical"):
        assert len(set(kept.fields[direction])) == 3
        assert all(word.endswith("s") for word in kept.fields[direction])
        assert "attacks" not in kept.fields[direction]
        assert set(kept.fields[direction]) < set(kept.fields["initial"])
        assert called(shipped, "Mayor {} plan before the summer", kept.fields[direction]) == {
            direction
        }
    assert dropped == [Drop("b", "idiom"), Drop("c", "verb-lost")]


def judged(sentence, verb, accepted=(), kind="reliable", silver="metaphorical"):
    fields = {
        "start": 6,
        "end": 13,
        "focus_verb": "attacks",
        "subject": "mayor",
        "object": "plan",
        "type": kind,
        "silver": silver,
        "literal": ["opposes", "reads"],
        "metaphorical": ["bombs", "buries"],
    }
    return GoldHeadline(Record("h1", TEXT, fields), sentence, verb, tuple(accepted))


def test_gold_plus_turns_the_label_and_replaces_the_verb_in_its_place():
    (row,) = gold_plus([judged("metaphorical", "metaphorical", ["opposes"])])
    assert row["text"] == "Mayor opposes plan before summer"
    assert (row["label"], row["item"]) == ("literal", "h1")
    assert gold_plus([judged("metaphorical", "literal")]) == []


def test_tables_have_the_rows_of_the_paper():
    rows = [
        judged("metaphorical", "metaphorical", ["opposes"]),
        judged("metaphorical", "literal"),
        judged("literal", "literal", ["bombs", "buries"], kind="fake", silver="literal"),
        judged("invalid", "literal"),
    ]
    found = tables([row.item for row in rows], rows)
    assert found["table 2"] == {"H_l & V_l": 1, "H_m & V_l": 1, "H_m & V_m": 1, "invalid": 1}
    assert found["table 3"] == {"fake": {"H_m": 0, "H_m+l": 1}, "reliable": {"H_m": 2, "H_m+l": 2}}
    assert found["new headlines"] == {"literal": 1, "metaphorical": 2}
    assert found["silver"]["precision"] == {"part": 2, "whole": 3}
    assert found["accepted"]["metaphorical"]["one"] == {"part": 1, "whole": 1}
    assert sum(found["diversity"].values()) == 1
    assert found["figure 3"]["M_final"]["n"] <= found["figure 3"]["M_init"]["n"] == 2


@pytest.mark.parametrize(
    ("headline", "verb", "settled"),
    [
        ("metaphorical", "metaphorical", "metaphorical"),
        ("metaphorical", "literal", "metaphorical"),
        ("literal", "literal", "literal"),
        ("literal", "metaphorical", None),
        ("metaphorical", "invalid", "invalid"),
        ("invalid", "metaphorical", "invalid"),
        ("literal", None, None),
        (None, "literal", None),
    ],
)
def test_verb_and_headline_must_fit(headline, verb, settled):
    item = Record("h1", TEXT, judged("literal", "literal").item.fields)
    votes = [
        Judgment("h1", name, answer, question)
        for question, answer in (("sentence", headline), ("verb", verb))
        for name in ("a01", "a02", "a03")
        if answer is not None
    ]
    found = _judged_dataset([item], votes, SimpleNamespace(seed=1))
    (own,) = found.labels
    assert own.label == settled
    assert bool(own.reason) == (settled is None)
    assert [row["label"] for row in found.others["gold.jsonl"]] == [settled] * (settled is not None)
    if (headline, verb) == ("literal", "metaphorical"):
        assert own.reason == "contradictory: a literal headline with a metaphorical verb"


def test_the_form_refuses_a_metaphorical_verb_in_a_literal_headline():
    plan = read_plan(TEMPLATES / "newsmet.toml")
    given = {"sentence": ["literal"], "verb": ["metaphorical"]}
    answers, faults = read_answers(plan.questions, given, text=TEXT, payload={})
    assert faults == {
        "verb": "contradicts the answer to 'sentence': "
        "a headline with a metaphorical verb is metaphorical"
    }
    assert answers == {"sentence": "literal"}
    assert not read_answers(plan.questions, given | {"verb": ["literal"]}, text=TEXT, payload={})[1]


def test_first_positions_are_those_of_the_words_before_any_filter():
    one = judged("literal", "literal", ["buries"])
    initial = [f"word{n}" for n in range(11)] + ["bombs", "buries"]
    with_list = replace(one, item=one.item.having(initial=initial))
    found = tables([one.item], [one, with_list, judged("literal", "literal")])["first positions"]
    assert found["M_init"]["[0,0]"] == {"part": 2, "whole": 3}
    assert found["M_init"]["[0,20]"] == {"part": 3, "whole": 3}
    assert found["M_final"]["none"] == 1
    assert found["M_final"]["[0,5]"] == {"part": 1, "whole": 3}
    assert found["M_final"]["[0,20]"] == {"part": 2, "whole": 3}
    assert found["L_init"]["headlines"] == 0


def test_missed_metaphors_are_counted_among_metaphors():
    rows = [
        judged("metaphorical", "metaphorical", silver="literal"),
        judged("metaphorical", "literal"),
        judged("literal", "literal", silver="literal"),
    ]
    silver = tables([row.item for row in rows], rows)["silver"]
    assert silver["false_negative"] == {"part": 1, "whole": 2}
    assert silver["false_omission"] == {"part": 1, "whole": 2}


def test_tables_of_a_run_with_other_vectors(tmp_path):
    run = write_run(tmp_path / "run")
    words = ["mayor", "plan", *METAPHORICAL]
    lines = [f"{word} {n} 1" for n, word in enumerate(words)]
    (tmp_path / "vectors.txt").write_text("\n".join(lines), encoding="utf-8")
    command = ["recipe", "tables", str(run)]
    usual, other = (
        json.loads(CliRunner().invoke(main, [*command, "--json", *more]).stdout)
        for more in ((), ("--vectors", str(tmp_path / "vectors.txt")))
    )
    assert usual["figure 3"]["M_init"]["n"] > 0
    assert usual["figure 3"]["M_init"]["mean"] != other["figure 3"]["M_init"]["mean"]
    assert {key for key in usual if usual[key] != other[key]} == {"figure 3"}
    silver, positions = usual["silver"]["precision"], usual["first positions"]["M_init"]
    printed = CliRunner().invoke(main, command).stdout
    share = 100 * silver["part"] / silver["whole"]
    assert f"  precision: {silver['part']} of {silver['whole']} ({share:.1f} %)\n" in printed
    assert f"  M_init\n    headlines: {positions['headlines']}\n" in printed
    with pytest.raises(MissingData, match="give a file of word vectors"):
        CliRunner().invoke(
            main, [*command, "--vectors", str(tmp_path / "none")], catch_exceptions=False
        )


def test_tables_of_any_run_are_lines_with_shares_and_rows(tmp_path):
    (tmp_path / "manifest.json").write_text('{"recipe": "tweets2019"}')
    (tmp_path / "statistics.json").write_text(
        json.dumps(
            {
                "tables": [{"part": "demo", "tied": {"count": 1, "base": 8}, "length": 12.88235,
                            "narrow": [[{"item": "g7", "positive": 2}], [{"item": "g8"}]]}],
                "dismissed": {},
                "by verb": {"break": {"literal": ["cup", "door"], "metaphorical": []}},
            }
        )
    )  # fmt: skip
    kappa = {"name": "cohen", "value": 0.75342, "low": 0.5263, "high": 0.9388, "n": 36, "note": ""}
    none = {"value": None, "low": None, "high": None, "n": 0, "note": "undefined: no numbers"}
    agreement = {"note": "people", "fine": kappa, "alpha_interval": none}
    (tmp_path / "agreement.json").write_text(json.dumps(agreement))
    printed = CliRunner().invoke(main, ["recipe", "tables", str(tmp_path)]).stdout
    assert printed == (
        "dismissed: none\n\ntables\n  1\n    part: demo\n    tied: 1 of 8 (12.5 %)\n"
        "    length: 12.8824\n    narrow\n      item g7, positive 2\n      item g8\n\n"
        "by verb\n  break\n    literal: cup, door\n    metaphorical: none\n\n"
        "agreement\n  fine: cohen 0.7534 (0.5263 to 0.9388), n 36\n"
        "  alpha_interval: undefined: no numbers\n"
    )


def test_candidates_of_a_masked_model_keep_all_that_it_proposed(shipped, monkeypatch):
    fillers = ["1944", "attacks", "criticises", "reads", "plan", "strangles", "bombs", "drops"]
    monkeypatch.setattr(headlines, "_masked_model", lambda _: SimpleNamespace(fill=fill))

    def fill(words, at, number):
        assert (words[at], number) == ("attacks", 200)
        return fillers

    settings = SimpleNamespace(candidates=SimpleNamespace(each=1, masked="some-model"))
    context = Context(None, settings, reader=shipped)
    text = "Mayor attacks plan before the summer"
    (kept,) = find_candidates(iter([Record("a", text, {"start": 6, "end": 13})]), context)
    assert kept.fields["initial"] == fillers
    offered = {*kept.fields["literal"], *kept.fields["metaphorical"]}
    assert len(offered) == 2
    assert not offered & {"1944", "attacks", "plan"}  # no word, the verb itself, no verb
    settings.candidates.each = 9
    (dropped,) = find_candidates(iter([Record("a", text, {"start": 6, "end": 13})]), context)
    assert dropped == Drop("a", "too-few-candidates")
