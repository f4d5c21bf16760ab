"""Lines of a concordance become a project: in its place, once, with the words marked."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import Row, detect, opened, trope

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")

from trope.annotate.project import new_project, open_project
from trope.core.errors import BadInput
from trope.workbench.corpus import annotation
from trope.workbench.corpus.annotation import line_key, make_annotation_project
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import ConcordanceQuery
from trope.workbench.corpus.views import answer

QUERY = ConcordanceQuery(lemma="ate", rows=10)


def items(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]


def stored(folder: Path) -> int:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "project.db")) as database:
        return int(database.execute("SELECT count(*) FROM store_item").fetchone()[0])


def test_chosen_lines_are_items_with_their_word_marked(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], tmp_path: Path
) -> None:
    lines = answer(small_corpus, QUERY).dicts()
    chosen = {line_key(lines[2]), line_key(lines[5])}
    made = make_annotation_project(
        small_corpus, QUERY, chosen, base=tmp_path / "projects", name="Ate, twice!"
    )
    assert made.folder == tmp_path / "projects" / "Ate-twice"
    assert made.command == f"trope annotate serve {made.folder}"
    written = items(made.folder)
    assert made.items == stored(made.folder) == len(written) == 2
    assert {item["id"] for item in written} == chosen
    for item in written:
        ((start, end),) = item["highlight"]
        row = corpus_rows[int(item["id"].partition(".")[0]) - 1]
        assert item["text"] == row.text
        assert item["text"][start:end].lower() == "ate"
        assert (item["corpus_id"], item["source"], item["date"]) == (row.id, row.source, row.date)


def test_all_that_were_found(
    small_corpus: IndexedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_annotation_project(small_corpus, QUERY, None, base=tmp_path, name="all")
    total = answer(small_corpus, QUERY).about["total"]
    assert total > QUERY.rows
    assert made.items == stored(made.folder) == total
    monkeypatch.setattr(annotation, "MOST_ITEMS", 5)
    with pytest.raises(BadInput, match="a project can have at most 5 items; narrow the search"):
        make_annotation_project(small_corpus, QUERY, None, base=tmp_path, name="more")
    assert not (tmp_path / "more").exists()


def test_a_verb_with_two_objects_is_one_item(small_corpus: IndexedCorpus, tmp_path: Path) -> None:
    query = ConcordanceQuery(relations=True, rows=5)
    made = make_annotation_project(small_corpus, query, None, base=tmp_path, name="objects")
    names = [item["id"] for item in items(made.folder)]
    assert len(names) == len(set(names))


def test_nothing_is_written_over(small_corpus: IndexedCorpus, tmp_path: Path) -> None:
    first = make_annotation_project(small_corpus, QUERY, None, base=tmp_path, name="one")
    before = {path: path.read_bytes() for path in first.folder.iterdir()}
    with pytest.raises(BadInput, match="one: already exists; choose another name"):
        make_annotation_project(small_corpus, QUERY, None, base=tmp_path, name="one")
    assert {path: path.read_bytes() for path in first.folder.iterdir()} == before


@pytest.mark.parametrize("name", ["../../outside", "/etc/passwd", "a/../../b", "..\\..\\c", "x\0y"])
def test_names_stay_below_the_base(small_corpus: IndexedCorpus, tmp_path: Path, name: str) -> None:
    base = tmp_path / "projects"
    made = make_annotation_project(small_corpus, QUERY, None, base=base, name=name)
    assert made.folder.parent == base
    assert list(tmp_path.iterdir()) == [base]


@pytest.mark.parametrize("name", ["", "..", "///", "–"])
def test_names_that_are_none(small_corpus: IndexedCorpus, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="is not a project name"):
        make_annotation_project(small_corpus, QUERY, None, base=tmp_path / "projects", name=name)
    assert not (tmp_path / "projects").exists()


def test_nothing_chosen_makes_nothing(small_corpus: IndexedCorpus, tmp_path: Path) -> None:
    for chosen in (set(), {"9999.0"}):
        with pytest.raises(BadInput, match="no lines are chosen"):
            make_annotation_project(small_corpus, QUERY, chosen, base=tmp_path, name="none")
    assert list(tmp_path.iterdir()) == []


def test_items_that_are_not_taken_leave_no_folder(
    small_corpus: IndexedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotation, "_item", lambda line, *_: {"id": "x", "text": " "})
    with pytest.raises(BadInput, match=r"items\.jsonl:1: "):
        make_annotation_project(small_corpus, QUERY, None, base=tmp_path, name="bad")
    assert list(tmp_path.iterdir()) == []


def test_long_texts_are_cut_around_the_word(tmp_path: Path) -> None:
    table = tmp_path / "long.csv"
    sentence = "Rain took roads so trees so prices. "
    long = sentence * 60 + "Rain ate roads. " + sentence * 60
    table.write_text(f"text\n{long.strip()}\n")
    folder = detect(table, tmp_path / "out", "--columns", "text", "--tokens")
    with opened(folder, tmp_path / "index") as corpus:
        made = make_annotation_project(corpus, QUERY, None, base=tmp_path / "p", name="long")
    (item,) = items(made.folder)
    ((start, end),) = item["highlight"]
    assert item["text"][start:end] == "ate"
    assert len(item["text"]) < 1_200
    assert item["text"] in long


def rates(folder: Path, *more: str) -> Any:
    return trope("query", folder, "rates", "--index", folder.parent / "index", *more)


def drawn(folder: Path, number: int, *more: str) -> list[dict[str, Any]]:
    done = rates(folder, "--draw", str(number), *more)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def judged_project(folder: Path, words: list[dict[str, Any]], metaphors: set[str]) -> Path:
    """A project whose only annotator calls these items metaphors."""
    new_project(folder, "words")
    plan = (folder / "project.toml").read_text("utf-8")
    plan = plan.replace("judgments_per_item = 3", "judgments_per_item = 1")
    plan = plan.replace("items_per_page = 10", "items_per_page = 500")
    (folder / "project.toml").write_text(plan, "utf-8")
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(item)}\n" for item in words), "utf-8")
    assert trope("annotate", "import", str(folder), str(folder / "items.jsonl")).exit_code == 0
    from trope.annotate.store import judgments, people, queue

    plan, now = open_project(folder).plan, datetime(2026, 3, 2, tzinfo=UTC)
    person = people.person_by_token(people.invite("Ada", now=now))
    for lease in queue.next_page(person.pk, plan, now=now, rng=Random(1)).leases:
        said = {"metaphorical": "yes" if lease.item.external_id in metaphors else "no"}
        judgments.submit(person.pk, lease.token, said, plan, now=now)
    return folder


def test_a_drawn_sample_that_is_judged_corrects_the_rate(
    small_corpus: IndexedCorpus, corpus_folder: Path, tmp_path: Path
) -> None:
    words = drawn(corpus_folder, 200)
    assert len({item["id"] for item in words}) == 200
    assert words == drawn(corpus_folder, 200) != drawn(corpus_folder, 200, "--seed", "1")
    flags = dict(small_corpus.database.ask("SELECT doc || '.' || start, metaphor FROM words"))
    said = [item["id"] for item in words if flags[item["id"]]]
    # people call one word less a metaphor than the model, and two others
    others = [item["id"] for item in words if not flags[item["id"]]]
    folder = judged_project(tmp_path / "p", words, {*said[1:], *others[:2]})
    done = rates(corpus_folder, "--judged", str(folder), "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    facts = small_corpus.facts
    assert (found["judged"], found["items"]) == (200, facts.words)
    assert found["model"] == pytest.approx(facts.metaphors / facts.words)
    assert found["classical"]["value"] == pytest.approx((len(said) + 1) / 200)
    low, high = found["corrected"]["low"], found["corrected"]["high"]
    assert low < found["corrected"]["value"] < high
    assert high - low < found["classical"]["high"] - found["classical"]["low"]
    assert found["judgments_for_half"] > 200
    out = tmp_path / "rate.txt"
    assert rates(corpus_folder, "--judged", str(folder), "--out", str(out)).stdout == ""
    lines = out.read_text("utf-8").splitlines()
    assert lines[1].endswith("200 judged words") and lines[3].startswith("an interval half as wide")
    assert lines[4] == "the model counts content words (--words noticed)"
    assert (found["word_view"], found["asked_view"]) == ("content", "noticed")


def test_judgments_of_another_corpus_are_refused(corpus_folder: Path, tmp_path: Path) -> None:
    words = drawn(corpus_folder, 12)
    words[3]["corpus_id"] = "elsewhere"
    folder = judged_project(tmp_path / "p", words, set())
    with pytest.raises(BadInput, match="is no word of this corpus"):
        rates(corpus_folder, "--judged", str(folder))


def test_a_sample_larger_than_the_corpus_is_refused(corpus_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="draw fewer"):
        rates(corpus_folder, "--draw", "100000000")
    with pytest.raises(BadInput, match="two steps"):
        rates(corpus_folder, "--draw", "1", "--judged", str(tmp_path))


@pytest.mark.parametrize(
    "options", [["--where", "source=Herald"], ["--by", "source"], ["--plot", "rates.svg"]]
)
def test_a_sample_is_of_the_whole_corpus(
    corpus_folder: Path, tmp_path: Path, options: list[str]
) -> None:
    for step in (["--draw", "1"], ["--judged", str(tmp_path)]):
        with pytest.raises(BadInput, match=f"{options[0]} does not go with --draw and --judged"):
            rates(corpus_folder, *step, *options)
