"""Tables of a corpus for the terminal: 80 columns, intervals in words, words in context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

from rich.console import Console, JustifyMethod
from rich.table import Table as Grid
from rich.text import Text

from trope.metrics.intervals import Interval
from trope.render.markup import printable
from trope.render.page_pieces import percent
from trope.workbench.corpus.table import (
    CorpusTable,
    counted_in_words,
    number,
    p_in_words,
    spread_in_words,
    to_csv,
    to_json,
)

_METAPHOR = "bold yellow"
_NARROWEST, _WIDE = 60, 110
NOUNS = {"lemmas": "lemma", "classes": "class", "figures": "kind", "domains": "domain"}
_CELLS = 24
"""Characters on which the places of a word in a text are shown."""


def write_table(table: CorpusTable, file: IO[str], form: str) -> None:
    """The table as text, CSV or JSON."""
    if form != "text":
        file.write(to_csv(table) if form == "csv" else to_json(table))
        return
    console = Console(file=file, highlight=False, markup=False, emoji=False)
    for part in _SHOWN[table.view](table, max(_NARROWEST, console.width)):
        console.print(part, soft_wrap=isinstance(part, Text) and table.view == "concordance")
    for note in table.notes:
        console.print(Text(f"\n{note}", style="dim"), soft_wrap=True)


def _rates(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    grid = _grid("group", "texts", "sentences", "words", "metaphors (95 %)")
    everything = table.about["all"]
    rows = table.dicts()
    for row in [everything | {"group": "all"}, *rows]:
        counts = [f"{row[name]:,}" for name in ("texts", "sentences", "words")]
        grid.add_row(printable(row["group"]) or "–", *counts, percent(_interval(row)))
    yield grid
    yield _more(table, "group")
    yield _view(table)


def _verbs(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    grid = _grid("verb", "metaphors", "rate (95 %)", "objects of its metaphors")
    for row in table.dicts():
        counts = f"{row['metaphors']:,} of {row['uses']:,}"
        objects = ", ".join(one["lemma"] for one in row["objects"] if one["metaphors"])
        grid.add_row(printable(row["verb"]), counts, percent(_interval(row)), printable(objects))
    yield grid
    yield _more(table, "verb")
    yield _view(table)


def _figures(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    novel = any(row["novelty"] is not None for row in table.dicts())
    names = ("figure", "", "count", "rate (95 %)", "texts", "DP", "surprise")
    grid = _grid(*names, *(["novelty"] if novel else []))
    wide = width >= _WIDE
    if wide:
        grid.add_column("example", no_wrap=True, overflow="ellipsis")
    for row in table.dicts():
        grid.add_row(
            *(printable(row["lemma"]), row["upos"] or row["kind"], f"{row['count']:,}"),
            *(percent(_interval(row)), f"{row['texts']:,}", f"{row['dispersion']:.2f}"),
            *(number(row["surprise"], ".1f"), *([number(row["novelty"])] if novel else [])),
            *([printable(row["example"])] if wide else []),
        )
    yield grid
    yield _more(table, "figure")
    yield _view(table)


def _collocates(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    about = table.about
    uses = f"{about['uses']:,} use{'' if about['uses'] == 1 else 's'}"
    yield Text(f"{uses}; {about['near_words']:,} words near them.\n", style="dim")
    grid = _grid("lemma", "count", "at metaphors", "in all", "LL", "log ratio", "logDice")
    for row in table.dicts():
        counts = [f"{row[name]:,}" for name in ("count", "metaphors", "total")]
        measures = f"{row['log_likelihood']:,.1f}", f"{row['log_ratio']:+.2f}"
        grid.add_row(printable(row["lemma"]), *counts, *measures, f"{row['log_dice']:.2f}")
    yield grid
    yield _more(table, "lemma")
    yield _view(table)


def _sketch(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    for role in ("object", "subject"):
        rows = [row for row in table.dicts() if row["role"] == role]
        if not rows:
            continue
        yes, no = (table.about[f"{role}_{side}"] for side in ("metaphors", "others"))
        yield Text(f"{role}s: {yes:,} of metaphorical uses, {no:,} of others\n", style="dim")
        grid = _grid(role, "metaphors", "logDice", "others", "logDice", "LL", "log ratio")
        for row in rows:
            yes, no = (f"{row[side]:,}" for side in ("metaphors", "others"))
            dice = [number(row[f"log_dice_{side}"]) for side in ("metaphors", "others")]
            likelihood, ratio = (
                number(row["log_likelihood"], ",.1f"),
                number(row["log_ratio"], "+.2f"),
            )
            grid.add_row(printable(row["lemma"]), yes, dice[0], no, dice[1], likelihood, ratio)
        yield grid
        yield Text("")
    yield _more(table, "word")
    yield _view(table)


def _ngrams(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    grid = _grid("words", "count", "per million", "metaphors", "texts")
    for row in table.dicts():
        counts = f"{row['count']:,}", f"{row['per_million']:,.1f}"
        more = f"{row['metaphors']:,}", f"{row['texts']:,}"
        grid.add_row(printable(row["ngram"]), *counts, *more)
    yield grid
    yield _more(table, "sequence")
    yield _view(table)


def _dispersion(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    about = table.about
    yield Text(f"{spread_in_words(about)}\n", style="dim")
    grid = _grid("text", "id", "words", "count", "per 1,000", "places")
    for row in table.dicts():
        cells = [" "] * _CELLS
        for name, mark in (("other_places", "│"), ("places", "█")):
            for place in row[name]:
                cells[int(place * (_CELLS - 1))] = mark
        counts = f"{row['words']:,}", f"{row['count']:,}", f"{row['per_thousand']:,.1f}"
        grid.add_row(str(row["text"]), printable(row["id"]), *counts, "".join(cells).rstrip())
    yield grid
    yield _more(table, "text")
    yield _view(table)


def _view(table: CorpusTable) -> Text:
    """Which words count as metaphors."""
    counted, view = counted_in_words(table.about), table.about["asked_view"]
    return Text(f"Metaphors are {counted} (--words {view}).", style="dim")


def _keyness(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    about = table.about
    yield Text(
        f"{about['words']:,} words against {about['other_words']:,}; {_tested(about)}.\n",
        style="dim",
    )
    name = table.columns[0]
    names = (name, "", "count", "per million", "other", "per million", "LL", "log ratio", "p")
    rows = [
        (
            *(printable(row[name]), row["direction"]),
            *(f"{row['count']:,}", f"{row['per_million']:,.1f}"),
            *(f"{row['other_count']:,}", f"{row['other_per_million']:,.1f}"),
            *(
                f"{row['log_likelihood']:,.1f}",
                f"{row['log_ratio']:+.2f}",
                p_in_words(row["p_corrected"]),
            ),
            "–" if row["p_texts"] is None else p_in_words(row["p_texts"]),
        )
        for row in table.dicts()
    ]
    yield _fitted(width, (*names, "texts p"), rows, leave_out="per million")
    yield _more(table, NOUNS[about["of"]])
    yield _view(table)


def _tested(about: Mapping[str, Any]) -> str:
    correction = "Holm" if about["correction"] == "holm" else "BH"
    return f"{about['tested']:,} {about['of']} tested; p corrected by {correction}"


def _trend(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    about, name = table.about, table.columns[0]
    periods = about["periods"]
    yield Text(
        f"{len(periods)} periods from {periods[0]} to {periods[-1]}; {_tested(about)}.\n",
        style="dim",
    )
    names = (name, "", "count", "per million", "log2 per year", "p", "rates")
    rows = [
        (
            *(printable(row[name]), row["direction"]),
            *(f"{row['count']:,}", f"{row['per_million']:,.1f}"),
            *(
                f"{row['log2_per_year']:+.2f}",
                p_in_words(row["p_corrected"]),
                _small_line(row["rates"]),
            ),
        )
        for row in table.dicts()
    ]
    yield _fitted(width, names, rows, leave_out="per million")
    yield _more(table, NOUNS[about["of"]])
    yield _view(table)


def _small_line(rates: list[float]) -> str:
    """The rates as blocks of eight heights, at most `_CELLS` of them."""
    step = -(-len(rates) // _CELLS)
    means = [
        sum(part) / len(part)
        for at in range(0, len(rates), step)
        if (part := rates[at : at + step])
    ]
    most = max(means) or 1
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(8 * one / most))] for one in means)


def _concordance(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    rows = table.dicts()
    numbers = max((len(str(row["text"])) for row in rows), default=1)
    words = min(24, max((len(row["word"]) for row in rows), default=1))
    side = (width - numbers - words - 4) // 2
    for row in rows:
        left, word, right = (printable(row[name]) for name in ("left", "word", "right"))
        line = Text(f"{row['text']:>{numbers}} ", style="dim")
        line.append(f"{_end(left, side):>{side}} ", style="none")
        line.append(word, style=_METAPHOR if row["metaphor"] else "bold")
        line.append(f"{' ' * max(0, words - len(word))} {right[:side]}".rstrip(), style="none")
        yield line
    yield _more(table, "line")


def _features(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    rows = table.dicts()
    known = [n for n in ("novelty", "sentiment") if any(row.get(n) is not None for row in rows)]
    grid = _grid("text", "id", "words", "sentences", "metaphors", *known)
    for row in rows:
        rate = "–" if row["metaphor_rate"] is None else f"{100 * row['metaphor_rate']:.1f} %"
        grid.add_row(
            *(str(row["text"]), printable(row["id"]), f"{row['words']:,}", f"{row['sentences']:,}"),
            *(rate, *(number(row[name]) for name in known)),
        )
    yield grid
    yield _more(table, "text")
    yield Text(f"{len(table.columns)} features; --out FILE.csv writes all.", style="dim")
    yield _view(table)


def _domains(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    group = ["group"] if table.about["by"] else []
    grid = _grid("domain", *group, "metaphors", "texts", "share (95 %)", "frequent words")
    for row in table.dicts():
        share = percent(Interval(row["share"], row["low"], row["high"]))
        counts = f"{row['metaphors']:,}", f"{row['texts']:,}"
        words = printable(", ".join(row["lemmas"]))
        named = (printable(row[one]) or "–" for one in ("domain", *group))
        grid.add_row(*named, *counts, share, words)
    yield grid
    yield _more(table, "row")
    yield _view(table)


def _text(table: CorpusTable, width: int) -> Iterator[Grid | Text]:
    about = table.about
    grid = _grid("", "")
    for name, value in {"id": about["id"], **about["fields"]}.items():
        grid.add_row(name, printable(value) or "–")
    for name in ("words", "metaphors"):
        grid.add_row(name, f"{about[name]:,}")
    grid.show_header = False
    yield grid
    yield Text("")
    original, marked, at = about["text"], Text(), 0
    for row in table.dicts():
        marked.append(printable(original[at : row["start"]]))
        word = printable(original[row["start"] : row["end"]])
        marked.append(
            f"*{word}*" if row["metaphor"] else word, _METAPHOR if row["metaphor"] else ""
        )
        at = row["end"]
    marked.append(printable(original[at:]))
    yield marked


_SHOWN: dict[str, Callable[[CorpusTable, int], Iterator[Grid | Text]]] = {
    "rates": _rates,
    "figures": _figures,
    "verbs": _verbs,
    "keyness": _keyness,
    "trend": _trend,
    "collocates": _collocates,
    "sketch": _sketch,
    "ngrams": _ngrams,
    "dispersion": _dispersion,
    "concordance": _concordance,
    "domains": _domains,
    "features": _features,
    "text": _text,
}


def _interval(row: dict[str, Any]) -> Interval:
    return Interval(row["rate"], row["low"], row["high"])


def _end(text: str, width: int) -> str:
    return text[-width:] if len(text) > width else text


def _more(table: CorpusTable, noun: str) -> Text:
    """The number of rows, and which of them are shown."""
    total, shown = table.about["total"], len(table.rows)
    count = f"{total:,} {noun}{'' if total == 1 else 'es' if noun.endswith('s') else 's'}"
    if shown == total:
        return Text(f"\n{count}", style="dim")
    page = table.about["page"]
    return Text(f"\n{shown:,} of {count} (page {page}; --page and --rows show others)", style="dim")


_MEASURES = (
    "log ratio",
    "p",
    "texts p",
    "DP",
    "novelty",
    "surprise",
    "sentiment",
    "at metaphors",
    "in all",
    "logDice",
)
_WHOLE = ("share (95 %)", "rate (95 %)", "metaphors (95 %)")
"""Columns that are not broken into lines, besides those of numbers."""


def _grid(*names: str) -> Grid:
    grid = Grid(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    numbers = {"texts", "sentences", "words", "metaphors", "count", "per million", "other", "LL"}
    for name in names:
        right = name in numbers or name in _MEASURES
        whole = right or name in _WHOLE  # figures are not broken; names are, if need be
        how: JustifyMethod = "right" if right else "left"
        grid.add_column(name, justify=how, overflow="fold", no_wrap=whole)
    return grid


def _fitted(
    width: int, names: Sequence[str], rows: Sequence[Sequence[str]], *, leave_out: str
) -> Grid:
    """The rows as a table; if they are too wide, without the columns of a name."""
    longest = [max(len(cell) for cell in column) for column in zip(names, *rows, strict=True)]
    fits = sum(longest) + 2 * (len(names) - 1) <= width
    kept = [at for at, name in enumerate(names) if fits or name != leave_out]
    grid = _grid(*(names[at] for at in kept))
    for row in rows:
        grid.add_row(*(row[at] for at in kept))
    return grid
