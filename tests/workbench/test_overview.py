"""The overview of a corpus, plots and cells to take away, and the figures of a text."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import html
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from corpus_bench import CorpusBench, corpus_bench
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import ALL, detect, opened

from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.word_tables import CorpusColumn
from trope.workbench.text_view import pieces, shown_figures
from trope.workbench.web.corpus_tables import _period, charts, group_column
from trope.workbench.web.plots import dot_plot


def test_charts_show_groups_time_and_figures(small_corpus: IndexedCorpus) -> None:
    found = {chart.name: chart for chart in charts(small_corpus)}
    assert {"groups", "time", "figures"} <= found.keys()
    assert found["groups"].address == "/corpus/rates?by=source"
    assert len(found["groups"].plot.dots) == 4
    assert found["time"].address.startswith("/corpus/rates?by=date&period=")
    assert found["figures"].plot.bars[0].length == max(
        bar.length for bar in found["figures"].plot.bars
    )


def test_names_beside_a_plot_have_room() -> None:
    rows = [
        {"group": name, "rate": 0.1, "low": 0.05, "high": 0.2}
        for name in ("Purple Alliance of Ely", "", "examples/commons/opposition.csv")
    ]
    plot = dot_plot(rows, "group")
    assert plot is not None
    names = [dot.name for dot in plot.dots]
    assert names == ["Purple Alliance of Ely", "–", "…/commons/opposition.csv"]
    assert 7 * max(map(len, names)) < plot.left == plot.ticks[0].at < plot.dots[0].low


@pytest.mark.parametrize(
    ("years", "months", "days", "texts", "period"),
    [
        (8, 90, 230, 240, "year"),  # fewer than three texts per month
        (8, 90, 230, 2_400, "month"),
        (1, 12, 90, 40, "month"),  # a year alone is no line
        (1, 1, 20, 400, "day"),
        (40, 480, 9_000, 1_000_000, "year"),  # more months than a plot has room for
    ],
)
def test_the_rates_over_time_are_of_periods_with_texts(
    years: int, months: int, days: int, texts: int, period: str
) -> None:
    counts = {"year": years, "month": months, "day": days}
    assert _period(CorpusColumn("date", "c0", days, counts, "", ()), texts) == period


def test_the_best_column_is_not_the_file(small_corpus: IndexedCorpus) -> None:
    assert group_column(small_corpus) == "source"


def test_a_corpus_without_words_or_columns_has_an_overview(
    corpus_table: Path, tmp_path: Path
) -> None:
    options = ("--columns", "", "--counts-only")
    folder = detect(corpus_table, tmp_path / "plain", *options)
    with opened(folder, tmp_path / "index") as corpus:
        assert charts(corpus) == []
        assert group_column(corpus) == ""


def test_every_chart_is_a_link_and_three_files(corpus_bench: CorpusBench) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (trope[plots])")
    status, page = corpus_bench.get("/corpus/")
    assert status == 200
    files = [html.unescape(one) for one in re.findall(r'href="([^"]*format=\w+)"', page)]
    assert len(files) >= 9
    for path in files:
        status, told, content = corpus_bench.bench.ask("GET", path)
        assert status == 200, content
        assert told["content-disposition"].startswith("attachment")
        if path.endswith("svg"):
            assert ElementTree.parse(io.BytesIO(content)).getroot().tag.endswith("svg")
        elif path.endswith("png"):
            assert content.startswith(b"\x89PNG")
        else:
            assert {b"metaphors", b"count"} & set(content.splitlines()[0].split(b","))


def test_a_view_without_a_plot_has_none_to_take(corpus_bench: CorpusBench) -> None:
    status, page = corpus_bench.get("/corpus/sketch?lemma=ate&format=svg")
    assert status == 400
    assert "use csv, json" in html.unescape(page)


@pytest.mark.parametrize(
    "path",
    [
        "/corpus/rates?by=source&where=date%3D2018",
        "/corpus/figures?upos=VERB&sort=rate",
        "/corpus/figures?words=all&kind=metaphor",
        "/corpus/concordance?lemma=ate&context=3",
        "/corpus/text/3",
    ],
)
def test_the_cell_of_a_page_gives_its_table(
    corpus_bench: CorpusBench, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(corpus_bench.cache))
    _, page = corpus_bench.get(path)
    (cell,) = re.findall(r'<code id="cell"[^>]*>(.*?)</code>', page, re.S)
    *statements, last = html.unescape(cell).strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(statements), names)
    frame = eval(last, names)
    names["corpus"].close()  # type: ignore[attr-defined]
    assert isinstance(frame, pandas.DataFrame)
    (command,) = re.findall(r'<code id="command"[^>]*>(.*?)</code>', page)
    printed = json.loads(corpus_bench.run(html.unescape(command), "--json"))
    assert len(frame) == len(printed["rows"]) > 0
    assert list(frame.columns) == printed["columns"]


def test_a_text_lists_its_figures_and_marks_them(
    corpus_bench: CorpusBench, small_corpus: IndexedCorpus
) -> None:
    number, figures = next(
        (number, found)
        for number in range(1, small_corpus.facts.texts + 1)
        if (found := small_corpus.source.figures_of(number))
    )
    status, page = corpus_bench.get(f"/corpus/text/{number}")
    assert status == 200
    assert page.count('href="#figure-') == len(figures)
    for place in range(1, len(figures) + 1):
        assert f'id="figure-{place}"' in page
    assert f"score {figures[0]['score']:.2f}" in page


def test_figures_of_a_text_are_those_of_its_row(corpus_table: Path, tmp_path: Path) -> None:
    lines = detect(corpus_table, tmp_path / "lines", *ALL)
    table = detect(corpus_table, tmp_path / "table.parquet", *ALL)
    rows = [
        json.loads(line)
        for part in sorted(lines.glob("part-*.jsonl"))
        for line in part.read_text(encoding="utf-8").splitlines()
    ]
    with opened(lines, tmp_path / "a") as first, opened(table, tmp_path / "b") as second:
        for number in (1, 7, 8, len(rows)):
            wanted = rows[number - 1]["figures"]
            assert first.source.figures_of(number) == wanted
            assert second.source.figures_of(number) == wanted
        assert first.source.figures_of(len(rows) + 1) == []


def test_pages_say_that_novelty_is_not_known(
    corpus_bench: CorpusBench, small_corpus: IndexedCorpus
) -> None:
    number = next(n for n in range(1, 99) if small_corpus.source.figures_of(n))
    for path in (
        "features",
        "figures",
        f"text/{number}",
        "concordance?sort=novelty&metaphors=true",
    ):
        _, page = corpus_bench.get(f"/corpus/{path}")
        assert "he model of this corpus does not say how novel a metaphor is" in page, path


def test_columns_that_no_text_has_a_value_in_are_not_shown(corpus_bench: CorpusBench) -> None:
    for path in ("features", "figures"):
        _, page = corpus_bench.get(f"/corpus/{path}")
        titles = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page)
        assert {"novelty", "sentiment", "metonymies"}.isdisjoint(titles)
        assert titles[-1] == {"features": "similes", "figures": "example"}[path]
        # each row has as many cells as there are titles
        row = page.partition("<tbody>")[2].partition("</tr>")[0]
        assert len(re.findall(r"<t[hd][ >]", row)) == len(titles)


def test_forms_begin_with_what_their_tables_show(corpus_bench: CorpusBench) -> None:
    _, page = corpus_bench.get("/corpus/ngrams?min_count=2")
    assert '<option value="3" selected>3</option>' in page
    _, page = corpus_bench.get("/corpus/rates")
    assert "<option selected>source</option>" in page
    assert "rates --by source</code>" in page
    _, page = corpus_bench.get("/corpus/keyness")
    assert "<option selected>source</option>" in page


def test_the_most_novel_figure_comes_first() -> None:
    figures = [
        {"kind": "metaphor", "start": 0, "end": 3, "tokens": [0], "score": 0.9, "novelty": None},
        {"kind": "idiom", "start": 4, "end": 8, "tokens": [1], "score": 0.5, "novelty": 0.4},
    ]
    shown = shown_figures("The tide turned.", figures)
    assert [(one["number"], one["words"]) for one in shown] == [(2, "tide"), (1, "The")]


def test_explanations_are_on_every_page(corpus_bench: CorpusBench) -> None:
    for path in ("/corpus/", "/corpus/rates", "/corpus/text/1", "/corpus/concordance"):
        _, page = corpus_bench.get(path)
        assert "<summary>What do the marks and figures mean?</summary>" in page
