"""A demo task cut out of the items, with known expressions among them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from trope.annotate.demo_task import divide, pairs_of, read_known
from trope.annotate.exchange.items import NewItem
from trope.annotate.project import new_project, open_project
from trope.annotate.rules.assignment import in_turn
from trope.cli.main import main
from trope.cli.recipe import _demo_note
from trope.core.errors import BadRecord


def item(number: int, text: str, marked: str) -> NewItem:
    at = text.index(marked)
    return NewItem(f"t{number}", text, {"highlight": [[at, at + len(marked)]]})


@pytest.mark.parametrize(
    ("text", "marked", "pair"),
    [
        ("She planted doubts there", "planted doubts", ("plant", "doubt")),
        ("He abandons a humane approach", "abandons a humane approach", ("abandon", "approach")),
        ("Breaking hearts again", "Breaking hearts", ("break", "heart")),
        ("Nobody broke the bus", "broke the bus", ("break", "bus")),
        ("One word only", "word", None),
    ],
)
def test_expression_is_read_as_verb_and_object(
    text: str, marked: str, pair: tuple[str, str] | None
) -> None:
    found = pairs_of(item(1, text, marked))
    assert (pair in found) if pair else not found


KNOWN = {
    ("plant", "doubt"): {"metaphorical": "yes"},
    ("break", "heart"): {"metaphorical": "yes"},
    ("plant", "tree"): {"metaphorical": "no"},
}


def crowd(number: int) -> list[NewItem]:
    """Every third item known as a metaphor, every ninth as literal."""
    found = []
    for n in range(number):
        marked = "plants trees" if n % 9 == 1 else "breaks hearts" if n % 3 == 0 else "buys bread"
        found.append(item(n, f"Number {n} {marked} today", marked))
    return found


@given(st.integers(0, 60), st.integers(0, 40), st.integers(0, 40), st.integers())
def test_nothing_is_lost_or_doubled(size: int, number: int, gold: int, seed: int) -> None:
    items = crowd(size)
    gold = min(gold, number)
    divided = divide(items, KNOWN, number=number, gold=gold, seed=seed)
    ids = [one.id for one in (*divided.demo, *divided.work)]
    assert sorted(ids) == sorted(one.id for one in items)
    assert len(divided.demo) <= number
    known = sum(any(p in KNOWN for p in pairs_of(one)) for one in items)
    assert divided.known == min(gold, known)
    assert not any(one.gold for one in divided.work)
    assert divided == divide(items, KNOWN, number=number, gold=gold, seed=seed)


def test_metaphors_and_literal_ones_are_taken_in_turn() -> None:
    divided = divide(crowd(60), KNOWN, number=20, gold=8, seed=1)
    answers = [one.gold["metaphorical"] for one in divided.demo if one.gold]
    assert sorted(answers) == ["no"] * 4 + ["yes"] * 4
    assert len(divided.demo) == 20


@given(st.dictionaries(st.text("abc", min_size=1), st.lists(st.integers())), st.integers(0, 20))
def test_turns_are_fair(groups: dict[str, list[int]], number: int) -> None:
    named = {name: [(name, n, i) for i, n in enumerate(g)] for name, g in groups.items()}
    taken = in_turn(named, number)
    assert len(taken) == min(number, sum(map(len, groups.values())))
    counts = {name: sum(one[0] == name for one in taken) for name in groups}
    for name, count in counts.items():
        assert count == len(groups[name]) or count >= max(counts.values()) - 1


def test_command_writes_two_files_that_can_be_imported(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    new_project(folder, "tweets2019")
    plan = (folder / "project.toml").read_text(encoding="utf-8")
    plan = plan.replace("items = 120", "items = 6").replace("gold = 20", "gold = 4")
    (folder / "project.toml").write_text(plan, encoding="utf-8")
    table = tmp_path / "known.tsv"
    table.write_text(
        "verb\tobject\tgold.metaphorical\nbreak\theart\tyes\nplant\ttree\tno\n", encoding="utf-8"
    )
    items = tmp_path / "items.jsonl"
    rows = [{"id": i.id, "text": i.text, **i.payload} for i in crowd(30)]
    items.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out, rest = tmp_path / "demo.jsonl", tmp_path / "rest.jsonl"
    command = ["annotate", "demo-task", str(folder), str(items), str(table)]
    result = CliRunner().invoke(main, [*command, "--out", str(out), "--rest", str(rest)])
    assert result.exit_code == 0, result.output
    assert result.output == "6 demo items, 4 with known answers; 24 others\n"
    run = CliRunner().invoke
    assert run(main, ["annotate", "import", str(folder), str(out), "--demo"]).output.startswith("6")
    assert run(main, ["annotate", "import", str(folder), str(rest)]).output.startswith("24")

    few = tmp_path / "few.jsonl"
    few.write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    command[3] = str(few)
    result = run(main, [*command, "--out", str(out), "--rest", str(rest)])
    assert result.exit_code == 1
    assert "asks for 6 and 4" in result.output


@pytest.mark.parametrize(
    ("row", "problem"),
    [("break\t\tyes", "needs verb"), ("break\theart\tmaybe", "not offered")],
)
def test_bad_known_expression_is_named_by_its_line(row: str, problem: str, tmp_path: Path) -> None:
    new_project(tmp_path / "p", "tweets2019")
    table = tmp_path / "known.tsv"
    table.write_text(f"verb\tobject\tgold.metaphorical\n{row}\n", encoding="utf-8")
    with pytest.raises(BadRecord, match=problem) as caught:
        read_known(table, open_project(tmp_path / "p").plan)
    assert caught.value.line == 2


HEADLINES = {"h1": "Storm hammers ports", "h2": "Bakery sells pies", "h3": "Bank eats fees"}


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def judged_by_team(path: Path, answers: dict[str, list[dict[str, Any]]]) -> Path:
    """The export of a team's project: for each item the answers of its people."""
    rows = [
        {"item": item, "annotator": f"t{n}", "answers": own, "state": "counted",
         "seconds": 4, "at": "2026-03-02T09:00:00Z"}
        for item, all_of_them in answers.items()
        for n, own in enumerate(all_of_them)
    ]  # fmt: skip
    return write_lines(path, [row | {"judgment": n} for n, row in enumerate(rows, start=1)])


def control_items(
    folder: Path, template: str, texts: dict[str, str], team: Path, *more: str
) -> Any:
    if not (folder / "p").exists():
        new_project(folder / "p", template)
    items = write_lines(folder / "i.jsonl", [{"id": i, "text": t} for i, t in texts.items()])
    command = ["annotate", "control-items", str(folder / "p"), str(items), str(team)]
    return CliRunner().invoke(main, [*command, "--out", str(folder / "control.jsonl"), *more])


def read(path: Path) -> dict[str, Any]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["id"]: row.get("gold") for row in rows}


def test_ranges_of_a_team_become_control_items_and_a_demo_task(tmp_path: Path) -> None:
    texts = {f"t{n}": f"Tweet number {n}, what a day" for n in range(14)}
    answers = {f"t{n}": [{"score": s} for s in (-3, -1, n % 3)] for n in range(12)}
    answers |= {"t12": [{"score": -5}, {"score": 5}], "t13": [{"score": 2}]}
    team = judged_by_team(tmp_path / "team.jsonl", answers)
    demo = tmp_path / "demo.jsonl"
    done = control_items(tmp_path, "semeval2015", texts, team, "--demo", str(demo))
    assert done.exit_code == 0, done.output
    assert done.output == (
        "2 control items; 10 demo items, 10 with known answers; "
        "2 items without an answer that the team agrees on\n"
    )
    known = read(demo) | read(tmp_path / "control.jsonl")
    assert known == {f"t{n}": {"score": {"from": -3, "to": max(-1, n % 3)}} for n in range(12)}
    folder = str(tmp_path / "p")  # both can be imported as they are
    for path, how in ((demo, ["--demo"]), (tmp_path / "control.jsonl", [])):
        result = CliRunner().invoke(main, ["annotate", "import", folder, str(path), *how])
        assert result.exit_code == 0, result.output


def test_headlines_on_which_a_team_agrees_become_control_items(tmp_path: Path) -> None:
    metaphor = {"sentence": "metaphorical", "verb": "metaphorical"}
    literal = {"sentence": "literal", "verb": "literal"}
    answers = {"h1": [metaphor, metaphor], "h2": [literal, literal], "h3": [metaphor, literal]}
    team = judged_by_team(tmp_path / "team.jsonl", answers)
    done = control_items(tmp_path, "newsmet", HEADLINES, team)
    assert done.exit_code == 0, done.output
    assert read(tmp_path / "control.jsonl") == {"h1": metaphor, "h2": literal}


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ({"x9": [{"score": 1}]}, "team.jsonl:1: judges 'x9', which is none of the items; export"),
        ({"t1": [{"score": 9}]}, "team.jsonl:1: item 't1': the answer 9 to 'score' is not one of"),
        ({"t1": [{"mood": "bad"}]}, "'mood' is to a question that the project does not ask; ex"),
        ({"t1": [{"score": 1}]}, "no item has an answer that 2 or more people agree on; let the"),
    ],
)
def test_judgments_of_another_project_are_refused(
    answers: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    team = judged_by_team(tmp_path / "team.jsonl", answers)
    done = control_items(tmp_path, "semeval2015", {"t1": "What a day"}, team)
    assert problem in str(done.exception)
    assert not (tmp_path / "control.jsonl").exists()


TEXTS = [(f"r{n}", f"Sentence number {n} of the corpus", "01"[n % 2], f"{n / 40:.2f}")
         for n in range(40)]  # fmt: skip


def draw(folder: Path, *options: str) -> Any:
    lines = ["key;line;kind;p", *(";".join(row) for row in TEXTS), ";".join(("x", *TEXTS[0][1:]))]
    (folder / "my corpus.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["annotate", "draw", f"{folder / 'my corpus.csv'}:line", "--out"]
    return CliRunner().invoke(main, [*command, str(folder / "set.csv"), *options])


def drawn(path: Path) -> dict[str, str]:
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    assert header.startswith("id,")
    return dict(line.split(",", 1) for line in lines)


@pytest.mark.parametrize("by", [("--label", "kind"), ("--score", "p", "--threshold", "0.5")])
def test_a_balanced_set_shares_no_text_with_other_files_and_hides_its_classes(
    tmp_path: Path, by: tuple[str, ...]
) -> None:
    trained = tmp_path / "trained.txt"
    trained.write_text("\n".join(text.upper() for _, text, *_ in TEXTS[:8]) + "\n")
    classes = tmp_path / "classes.csv"
    options = (*by, "--per-class", "10", "--without", str(trained), "--classes", str(classes))
    done = draw(tmp_path, *options)
    assert done.exit_code == 0, done.output
    texts, sorted_texts = drawn(tmp_path / "set.csv"), drawn(classes)
    assert len(texts) == len(set(texts.values())) == 20
    assert not set(texts.values()) & {text for _, text, *_ in TEXTS[:8]}
    assert sorted(
        list(sorted_texts.values()).count(name) for name in set(sorted_texts.values())
    ) == [10, 10]
    assert list(texts) == list(sorted_texts) != sorted(texts)
    once = (tmp_path / "set.csv").read_bytes()
    assert draw(tmp_path, *options).exit_code == 0
    assert (tmp_path / "set.csv").read_bytes() == once
    new_project(tmp_path / "p", "words")  # and can be imported as it is
    imported = ["annotate", "import", str(tmp_path / "p"), str(tmp_path / "set.csv")]
    assert CliRunner().invoke(main, imported).exit_code == 0


def test_without_labels_the_model_sorts_the_texts(tmp_path: Path) -> None:
    literal = [
        "The tram leaves at nine.",
        "She bought two brown shoes.",
        "The cat sleeps under the table.",
        "He washed the cups and plates.",
        "We walked home after dinner.",
        "My sister lives next to the bakery.",
    ]
    figurative = [
        "The new tax strangles small shops.",
        "Fear devoured the whole village.",
        "Her speech set the crowd on fire.",
        "Debt is drowning young families.",
        "The scandal poisoned their marriage.",
        "Hope withered in the long winter.",
    ]
    corpus, classes = tmp_path / "corpus.csv", tmp_path / "classes.csv"
    corpus.write_text(
        "\n".join(["id,text", *(f"r{n},{t}" for n, t in enumerate(literal + figurative))])
    )
    command = ["annotate", "draw", str(corpus), "--per-class", "3", "--out"]
    command += [str(tmp_path / "set.csv"), "--classes", str(classes)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    texts, sorted_texts = drawn(tmp_path / "set.csv"), drawn(classes)
    assert len(texts) == 6
    assert {texts[name] for name, kind in sorted_texts.items() if kind == "metaphor"} <= {
        *figurative
    }
    assert {texts[name] for name, kind in sorted_texts.items() if kind == "literal"} <= {*literal}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--label", "kind", "--per-class", "21"),
            "20 texts of the class '0' can be drawn, not 21",
        ),
        (("--label", "none", "--per-class", "2"), "my corpus.csv:2: has no column 'none'"),
        (("--score", "key", "--per-class", "2"), "in the column 'key', which is not a number"),
        (("--label", "p", "--score", "p", "--per-class", "2"), "give one of them"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_is_written(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    refused = draw(tmp_path, *options)
    assert refused.exit_code != 0
    assert message in str(refused.exception)
    assert not (tmp_path / "set.csv").exists()


def test_a_run_says_how_the_demo_items_are_made_that_its_plan_asks_for(tmp_path: Path) -> None:
    project = tmp_path / "p"
    new_project(project, "newsmet")
    (note,) = _demo_note(project, project / "items.jsonl")  # a sample ships with the template
    assert f"trope annotate import {project} {project / 'demo.jsonl'} --demo" in note
    (project / "demo.jsonl").unlink()
    (note,) = _demo_note(project, project / "items.jsonl")
    assert "a demo task of 20 items, which a team has to judge first" in note
    assert f"trope annotate control-items {project} {project / 'items.jsonl'} JUDGMENTS" in note
    (project / "trial.jsonl").touch()  # as semeval2015 writes it: what its team judges
    (note,) = _demo_note(project, project / "items.jsonl")
    assert f"control-items {project} {project / 'trial.jsonl'} JUDGMENTS" in note
