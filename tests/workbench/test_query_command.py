"""`trope query`: tables on a terminal, as CSV, as JSON and as pictures."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import csv
import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import SOURCES, detect, read_by_rule, trope

from trope.cli.main import run
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import command_line, make_query
from trope.workbench.corpus.table import CorpusTable, to_csv, to_dict
from trope.workbench.corpus.terminal import write_table
from trope.workbench.corpus.views import answer

ASKED: list[tuple[str, dict[str, Any]]] = [
    ("rates", {}),
    ("rates", {"by": "date", "period": "month", "where": ["source=Herald"], "sort": "words"}),
    ("rates", {"by": "source", "where": [f"source={SOURCES[2]}"]}),
    ("verbs", {"min_uses": 3, "rows": 2, "page": 2}),
    ("keyness", {"by": "source", "part": SOURCES[2], "correction": "bh", "min_count": 1}),
    ("keyness", {"by": "source", "part": "Herald", "against": "Gazette", "metaphors": True}),
    ("concordance", {"lemma": "ate", "sort": "left", "context": 3, "rows": 4, "page": 2}),
    ("concordance", {"regex": "-|^r", "min_score": 0.01, "max_score": 0.9}),
    ("concordance", {"form": "-x", "upos": "VERB"}),
    ("concordance", {"relations": True, "object": "time", "metaphors": True}),
    ("text", {"text": 7}),
    ("keyness", {"by": "source", "part": "Herald", "of": "figures", "min_count": 1}),
    ("keyness", {"by": "source", "part": "Herald", "upos": "VERB", "min_count": 2}),
    ("trend", {"by": "date", "period": "month", "min_count": 5, "direction": "rising"}),
    ("trend", {"by": "date", "of": "classes", "period": "year", "metaphors": True}),
    ("sketch", {"lemma": "ate", "role": "object", "sort": "others"}),
    ("sketch", {"lemma": "take", "where": ["source=Herald"]}),
    ("ngrams", {"size": 2, "lemma": "time", "min_count": 2}),
    ("ngrams", {"metaphors": True, "where": ["source=Herald"], "min_count": 2}),
    ("dispersion", {"lemma": "ate", "uses": "metaphors", "sort": "rate", "rows": 5}),
    ("dispersion", {"lemma": "time", "upos": "NOUN"}),
    ("concordance", {"lemma": "ate", "sort": "column", "by": "date"}),
    ("features", {"rows": 4, "page": 3, "where": ["source=Herald"]}),
    ("figures", {"sort": "rate", "upos": "VERB", "where": ["source=Herald"], "min_count": 2}),
    ("collocates", {"lemma": "time", "window": 2, "uses": "metaphors", "sort": "log_dice"}),
    ("collocates", {"lemma": "ate", "near": "object", "min_count": 1}),
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tmp_path_factory.getbasetemp() / "cache-of-queries"
    monkeypatch.setenv("XDG_CACHE_HOME", str(base))


@pytest.mark.parametrize(("view", "fields"), ASKED)
def test_the_command_that_a_table_names_gives_that_table(
    small_corpus: IndexedCorpus, view: str, fields: dict[str, Any]
) -> None:
    table = answer(small_corpus, make_query(view, fields))
    words = shlex.split(table.command)
    assert words[:2] == ["trope", "query"]
    done = trope(*words[1:], "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout) == json.loads(json.dumps(to_dict(table)))
    assert trope(*words[1:], "--format", "csv").stdout == to_csv(table)


@pytest.mark.parametrize(("view", "fields"), ASKED)
def test_text_fits_a_terminal(
    corpus_folder: Path, view: str, fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    command = shlex.split(command_line(corpus_folder, make_query(view, fields)))
    done = trope(*command[1:])
    assert done.exit_code == 0
    assert done.stdout.strip()
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_figures_are_not_broken_on_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("domain", "direction", "count", "per_million", "other_count", "other_per_million")
    more = ("log_likelihood", "log_ratio", "p", "p_corrected", "p_texts")
    row = ("VERTICALITY & SCALE", "less", 16_000, 7_266.1, 86_000, 13_241.0, 1_165.2, -0.87)
    about = {"words": 2, "other_words": 3, "tested": 1, "of": "domains", "correction": "holm"}
    about |= {"total": 1, "word_view": "content", "asked_view": "noticed", "threshold": 0.525}
    table = CorpusTable("keyness", (*names, *more), [(*row, 0.1, 0.2, 0.3)], "", (), about)
    shown = {}
    for width in (80, 140):
        monkeypatch.setenv("COLUMNS", str(width))
        out = io.StringIO()
        write_table(table, out, "text")
        shown[width] = out.getvalue()
    (line,) = (one for one in shown[80].splitlines() if one.startswith("VERTICALITY & SCALE"))
    assert line.split()[3:] == ["less", "16,000", "86,000", "1,165.2", "-0.87", "0.2000", "0.3000"]
    assert "per million" not in shown[80]
    assert "13,241.0" in shown[140]


def test_rates_on_a_terminal(corpus_folder: Path) -> None:
    shown = trope("query", corpus_folder, "rates", "--by", "source").stdout.splitlines()
    assert shown[0].split() == ["group", "texts", "sentences", "words", "metaphors", "(95", "%)"]
    assert shown[1].startswith("all ")
    assert {"Herald", "Gazette", "–"} <= {line.split()[0] for line in shown[2:6]}
    assert shown[-2:] == ["4 groups", "Metaphors are content words (--words noticed)."]


def test_any_view_can_be_asked_for(corpus_folder: Path, tmp_path: Path) -> None:
    index = "--index", str(tmp_path / "index")
    asked = trope("query", corpus_folder, "rates", "--words", "all", "--json", *index)
    table = json.loads(asked.stdout)
    assert table["word_view"] == "all"
    assert table["command"].endswith(" --words all")
    own = json.loads(trope("query", corpus_folder, "rates", "--json", *index).stdout)
    assert own["word_view"] == "content"  # the model does not know what readers notice
    assert "--words" not in own["command"]
    assert own["all"]["words"] == table["all"]["words"]
    assert own["all"]["metaphors"] <= table["all"]["metaphors"]


def test_concordance_on_a_terminal(corpus_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = trope("query", corpus_folder, "concordance", "--lemma", "ate", "--rows", "5").stdout
    lines = shown.splitlines()[:5]
    places = {max(line.lower().find(" ate ", 30), 0) for line in lines}
    assert len(places) == 1, "the words stand below each other"


def test_text_marks_its_metaphors(corpus_folder: Path, small_corpus: IndexedCorpus) -> None:
    shown = trope("query", corpus_folder, "text", "2").stdout
    table = answer(small_corpus, make_query("text", {"text": 2}))
    marked = sum(row["metaphor"] for row in table.dicts())
    assert shown.count("*") == 2 * marked


def test_cells_are_no_formulas() -> None:
    table = CorpusTable("verbs", ("verb", "n"), [("=cmd()", 1), ("-3", -3.5)], "")
    assert list(csv.reader(io.StringIO(to_csv(table)))) == [
        ["verb", "n"],
        ["'=cmd()", "1"],
        ["-3", "-3.5"],
    ]


def test_out_and_plot(corpus_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for by in ("source", "date"):
        plot, out = tmp_path / f"{by}.svg", tmp_path / f"{by}.csv"
        options = ("--by", by, "--plot", plot, "--out", out)  # CSV by its name
        done = trope("query", corpus_folder, "rates", *options)
        assert (done.exit_code, done.stdout) == (0, "")
        assert "Rate of metaphor" in plot.read_text()
        assert "0 %" in plot.read_text()
        assert out.read_text().startswith("group,texts,sentences,words,metaphors,rate,low,high\n")
    places = tmp_path / "places.svg"
    trope("query", corpus_folder, "dispersion", "--lemma", "time", "--plot", places)
    assert "Places of “time”" in places.read_text()
    verbs = tmp_path / "verbs.svg"
    trope("query", corpus_folder, "verbs", "--plot", verbs)
    assert "ate (" in verbs.read_text()


def test_a_named_format_is_stronger_than_the_name_of_the_file(
    corpus_folder: Path, tmp_path: Path
) -> None:
    trope("query", corpus_folder, "rates", "--out", tmp_path / "a.JSON")
    assert json.loads((tmp_path / "a.JSON").read_text())["view"] == "rates"
    trope("query", corpus_folder, "rates", "--out", tmp_path / "a.csv", "--format", "json")
    assert json.loads((tmp_path / "a.csv").read_text())["view"] == "rates"
    trope("query", corpus_folder, "rates", "--out", tmp_path / "a.out")
    assert (tmp_path / "a.out").read_text().startswith("group ")


def test_classes_have_a_plural(corpus_folder: Path) -> None:
    asked = ("trend", "--by", "date", "--of", "classes", "--min-count", "1")
    assert re.search(r"\d classes$", trope("query", corpus_folder, *asked).stdout, re.MULTILINE)


def test_progress_is_told_once_on_standard_error(corpus_table: Path, tmp_path: Path) -> None:
    folder = detect(corpus_table, tmp_path / "news", "--columns", "text", "--tokens")
    first = trope("query", folder, "verbs")
    assert f"{folder}: sorting words …" in first.stderr
    assert trope("query", folder, "verbs").stderr == ""
    other = ("query", folder, "verbs", "--index", tmp_path / "index", "--quiet")
    assert trope(*other).stderr == ""
    assert list((tmp_path / "index").iterdir())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rates", "--by", "colour"], "no column is called 'colour'. Known: file, source, date."),
        (["concordance", "--regex", "(("], "is not a regular expression"),
        (["rates", "--plot", "a.gif"], "is not the name of a plot"),
        (
            ["verbs", "--rows", "0"],
            "--rows must be at least 1, you gave 0; see trope query FOLDER verbs --help",
        ),
        (["keyness", "--by", "source"], "Missing option '--part'"),
    ],
)
def test_errors_are_one_line(
    corpus_folder: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leave:
        run(["query", str(corpus_folder), *arguments, "--quiet"])
    assert leave.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith("trope: ")
    assert shown.count("\n") == 1
    assert words in shown


def test_shares_are_rounded_once(tmp_path: Path) -> None:
    """14 of 17 is 82.353 %; from 0.8235, as JSON has it, a terminal would make 82.3 or 82.4."""
    table = tmp_path / "table.csv"
    table.write_text(f"id,text\nn1,{'Rain so so ' + 'ate ' * 14}\n")
    folder = detect(table, tmp_path / "out", "--tokens")
    with read_by_rule():
        said = trope("analyze", table, "--summary").stdout
    asked = trope("query", folder, "rates", "--by", "file").stdout
    whole = [
        re.search(r"\d+\.\d %", line)
        for shown in (said, asked)
        for line in shown.splitlines()
        if line.startswith("all ")
    ]
    assert [found and found[0] for found in whole] == ["82.4 %", "82.4 %"]
    assert json.loads(trope("query", folder, "rates", "--by", "file", "--json").stdout)["all"][
        "rate"
    ] == pytest.approx(0.8235, abs=1e-9)
