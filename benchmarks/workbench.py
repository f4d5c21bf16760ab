"""The corpus view on a million sentences: how long pages take, and how much memory.

    python benchmarks/workbench.py DATA/vua18/VUA_seq_formatted_test.csv

Real sentences are analysed once; their rows are repeated and shuffled (workbench_corpus.py). The
index is built by `trope query`, in a process of its own. Then `trope serve` is started and asked
over HTTP, one page after the other, as one person would: every view, and concordances of lemmas
from the most frequent to the rarest, by relation, by expression, by tag and score, in every order.
A page is measured from the request to its last byte. Memory is the highest of the process that
answers, with the model of the text view in it, plus that of the process which started it. On a busy
machine pages wait for processors, so their processor time is measured, too: with the two threads of
a query, a page that has a processor to itself takes no longer than that.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import machine
import record
import workbench_corpus
from speed import read_sentences

from trope.core.files import sha256
from trope.metrics.figures import DataRef, Measurement
from trope.workbench.corpus.corpus import open_corpus
from trope.workbench.corpus.index import cache_folder
from trope.workbench.corpus.keyness import compare
from trope.workbench.corpus.queries import COMMANDS, make_query

LIMIT_S, OVERVIEW_S, LIMIT_MB = 1.0, 2.0, 1500
_FREQUENT, _MEDIUM = 20, 500  # ranks of lemmas
_SORTS = ("place", "left", "right", "score", "novelty", "column")
_PATTERNS = ("^un.*ed$", "ing$", "(?i)^re", "ation", "^.{12,}$", "[0-9]", "(a|e)+(i|o)+n", ".")


@dataclass(frozen=True)
class Index:
    """What building it took."""

    seconds: float
    peak_mb: float
    mb: float


@dataclass(frozen=True)
class Server:
    """A running workbench."""

    process: subprocess.Popen[str]
    port: int

    def seconds(self, address: str) -> float:
        """From the request to the last byte of the page."""
        started = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", address)
        answer = connection.getresponse()
        content = answer.read()
        taken = time.perf_counter() - started
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{address}: status {answer.status}: {content[:300]!r}")
        return taken

    def peak_mb(self) -> float:
        """The most memory of the process that answers and of the one that started it, added."""
        return sum(_peak_of(one) for one in self._processes())

    def cpu_seconds(self) -> float:
        """The time of processors that both have used so far."""
        return sum(_cpu_of(one) for one in self._processes())

    def _processes(self) -> list[str]:
        number = self.process.pid
        children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
        return [str(number), *children]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and keep the figures; status 1 where a bound is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="VUA test file with a column 'sentence'")
    parser.add_argument("--texts", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=60, help="of every kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where corpus and index lie; kept afterwards")
    parser.add_argument(
        "--keep-index", action="store_true", help="use the index in --folder, and do not measure it"
    )
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    with _place(options.folder) as folder:
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        corpus = folder / f"corpus-{options.texts}"
        recorded = workbench_corpus.analyse(read_sentences(options.sentences), folder)
        if not corpus.exists():
            workbench_corpus.enlarge(recorded, corpus, options.texts, seed=options.seed)
        index = None if options.keep_index else build(corpus)
        times, busy, peak = ask(corpus, options.requests, random.Random(options.seed))
        other = folder / f"other-{options.texts // 2}"
        if not other.exists():
            workbench_corpus.enlarge(recorded, other, options.texts // 2, seed=options.seed + 1)
        rng = random.Random(options.seed)
        times["compare"], busy["compare"] = compared(corpus, other, options.requests, rng)
    every = [taken for one in times.values() for taken in one]
    for kind, taken in times.items():
        told = f"{kind:24} p50 {p(taken, 50):.3f} s  p95 {p(taken, 95):.3f} s  n {len(taken)}"
        print(f"{told}  processors p95 {p(busy[kind], 95):.3f} s")
    print(f"{'all':24} p50 {p(every, 50):.3f} s  p95 {p(every, 95):.3f} s  n {len(every)}")
    print(f"memory of the server {peak:.0f} MB")
    if index is not None:
        print(f"index {index.seconds:.0f} s, {index.mb:.0f} MB")
    keep(times, busy, peak, index, options)
    limits = {kind: OVERVIEW_S if kind == "overview" else LIMIT_S for kind in times}
    slow = [kind for kind, taken in times.items() if p(taken, 95) >= limits[kind]]
    for kind in slow:
        print(f"{kind}: slower than {limits[kind]} s at the 95th percentile", file=sys.stderr)
    if peak >= LIMIT_MB:
        print(f"the server holds more than {LIMIT_MB} MB", file=sys.stderr)
    return 1 if slow or peak >= LIMIT_MB else 0


@contextmanager
def _place(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def build(corpus: Path) -> Index:
    """Build the index by a first question."""
    for old in cache_folder().glob("*.duckdb"):
        old.unlink()
    seconds, peak_mb = machine.measure_command("query", corpus, "rates", "--quiet")
    (built,) = cache_folder().glob("*.duckdb")
    return Index(seconds, peak_mb, built.stat().st_size / 1e6)


Times = dict[str, list[float]]


def ask(corpus: Path, number: int, rng: random.Random) -> tuple[Times, Times, float]:
    """Seconds of the pages of every kind, in random order, those that processors were busy with
    them, which other work on the machine does not lengthen, and the memory of the server."""
    kinds = addresses(corpus, rng)
    asked = [(kind, make()) for kind, make in kinds.items() for _ in range(number)]
    rng.shuffle(asked)
    times: Times = {kind: [] for kind in kinds}
    busy: Times = {kind: [] for kind in kinds}
    with serve(corpus) as server:
        for kind, address in asked:
            before = server.cpu_seconds()
            times[kind].append(server.seconds(address))
            busy[kind].append(server.cpu_seconds() - before)
        return times, busy, server.peak_mb()


def compared(
    one: Path, other: Path, number: int, rng: random.Random
) -> tuple[list[float], list[float]]:
    """Seconds of comparisons of two open corpora, and those of processors; only a command compares,
    so without pages."""
    first, second = open_corpus(one), open_corpus(other)
    kinds = ({}, {"metaphors": "true"}, {"upos": "NOUN"}, {"of": "figures"}, {"of": "domains"})
    taken, busy = [], []
    for _ in range(number):
        fields = {"other": str(other), **rng.choice(kinds)}
        asked = make_query("compare", fields, COMMANDS)
        started, before = time.perf_counter(), time.process_time()
        compare(first, second, asked)
        taken.append(time.perf_counter() - started)
        busy.append(time.process_time() - before)
    first.close()
    second.close()
    return taken, busy


def addresses(corpus: Path, rng: random.Random) -> dict[str, Callable[[], str]]:
    """What makes a random address of each kind."""
    opened = open_corpus(corpus)
    ranked = [
        lemma
        for (lemma,) in opened.database.ask(
            "SELECT text FROM lemmas WHERE words > 0 ORDER BY words DESC, text"
        )
    ]
    things = [
        (verb, thing)
        for verb, thing in opened.database.ask(
            "SELECT v.text, o.text FROM (SELECT DISTINCT lemma, object FROM relations) AS r "
            "JOIN lemmas AS v USING (lemma) JOIN lemmas AS o ON o.lemma = r.object ORDER BY ALL"
        )
    ]
    texts = opened.facts.texts
    opened.close()
    frequent, medium = ranked[:_FREQUENT], ranked[_FREQUENT:_MEDIUM] or ranked
    rare = ranked[_MEDIUM:] or ranked
    sources, years = workbench_corpus.SOURCES, range(2015, 2023)

    def concordance(**fields: object) -> str:
        sort = rng.choice(_SORTS)
        by = {"by": rng.choice(("source", "date"))} if sort == "column" else {}
        return f"/corpus/concordance?{urlencode({**fields, **by, 'sort': sort})}"

    def some_texts() -> str:
        source, month = rng.choice(sources), f"{rng.choice(years)}-{rng.randint(1, 12):02d}"
        given = rng.choice(([], [f"source={source}"], [f"date={month}"], [f"date={month[:4]}"]))
        return urlencode([("where", one) for one in given])

    def rates() -> str:
        by = rng.choice(("by=source", "by=file", "by=date", "by=date&period=day"))
        return f"/corpus/rates?{by}&{some_texts()}"

    def keyness() -> str:
        one, other = rng.sample(sources, 2)
        year = str(rng.choice(years))
        parts = ({"by": "source", "part": one}, {"by": "source", "part": one, "against": other})
        chosen = rng.choice((*parts, {"by": "date", "part": year}))
        compared = ({}, {"metaphors": "true"}, {"upos": "NOUN"}, {"of": "figures"})
        compared += ({"of": "classes"}, {"of": "domains"})
        return f"/corpus/keyness?{urlencode(chosen | rng.choice(compared))}"

    def trend() -> str:
        chosen = rng.choice(({}, {"metaphors": "true"}, {"of": "classes"}, {"of": "figures"}))
        chosen = rng.choice((chosen, {"of": "domains"}))
        period = rng.choice(({}, {"period": "month"}, {"period": "year"}))
        return f"/corpus/trend?{urlencode({'by': 'date'} | chosen | period)}"

    def collocates() -> str:
        word = rng.choice(ranked[:_MEDIUM])
        chosen = rng.choice(({}, {"uses": "metaphors"}, {"upos": "NOUN"}, {"near": "object"}))
        chosen = chosen if chosen.get("near") is None else chosen | {"lemma": rng.choice(things)[0]}
        return f"/corpus/collocates?{urlencode({'lemma': word} | chosen)}"

    def sketch() -> str:
        return f"/corpus/sketch?{urlencode({'lemma': rng.choice(things)[0]})}&{some_texts()}"

    def ngrams() -> str:
        word = rng.choice(({}, {"lemma": rng.choice(ranked[:_MEDIUM])}))
        where = some_texts() if word else ""  # without a word, all texts: counted in advance
        chosen = {"size": rng.choice((2, 3, 4)), **word, **rng.choice(({}, {"metaphors": "true"}))}
        return f"/corpus/ngrams?{urlencode(chosen)}&{where}"

    def dispersion() -> str:
        chosen = {"lemma": rng.choice(ranked[:_MEDIUM]), "sort": rng.choice(("count", "rate"))}
        return f"/corpus/dispersion?{urlencode(chosen)}&{some_texts()}"

    def figures() -> str:
        kind = rng.choice(("all", "metaphor", "idiom", "simile", "metonymy"))
        sort = rng.choice(("count", "rate", "texts", "novelty", "surprise"))
        chosen = rng.choice(({"kind": kind}, {"upos": "NOUN"}, {"min_count": 20}))
        return f"/corpus/figures?{urlencode({**chosen, 'sort': sort})}&{some_texts()}"

    def domains() -> str:
        near = {"target": rng.choice(ranked[:_MEDIUM])}
        chosen = rng.choice(({}, {"by": "source"}, {"by": "date"}, near, near | {"by": "source"}))
        return f"/corpus/domains?{urlencode(chosen)}&{some_texts()}"

    def features() -> str:
        return f"/corpus/features?page={rng.randint(1, max(1, texts // 200))}&{some_texts()}"

    def relation() -> str:
        verb, thing = rng.choice(things)
        fields = ({"object": thing}, {"lemma": verb, "object": thing}, {"relations": "true"})
        return concordance(**rng.choice(fields))

    def searched() -> str:
        fields = (
            {"upos": rng.choice(("VERB", "NOUN", "ADP")), "min_score": 0.8},
            {"upos": "VERB", "where": f"source={rng.choice(sources)}"},
            {"lemma": rng.choice(frequent), "where": f"source={rng.choice(sources)}"},
            {"lemma": rng.choice(ranked[:_MEDIUM]), "metaphors": "true"},
            {"min_score": 0.3, "max_score": 0.5},
        )
        return concordance(**rng.choice(fields))

    return {
        "overview": lambda: "/corpus/",
        "rates": rates,
        "verbs": lambda: f"/corpus/verbs?{some_texts()}",
        "figures": figures,
        "domains": domains,
        "keyness": keyness,
        "collocates": collocates,
        "trend": trend,
        "sketch": sketch,
        "ngrams": ngrams,
        "dispersion": dispersion,
        "features": features,
        "concordance.frequent": lambda: concordance(lemma=rng.choice(frequent)),
        "concordance.medium": lambda: concordance(lemma=rng.choice(medium)),
        "concordance.rare": lambda: concordance(lemma=rng.choice(rare)),
        "concordance.relation": relation,
        "concordance.regex": lambda: concordance(regex=rng.choice(_PATTERNS)),
        "concordance.search": searched,
        "text": lambda: f"/corpus/text/{rng.randint(1, texts)}",
    }


@contextmanager
def serve(corpus: Path) -> Iterator[Server]:
    """The workbench on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [*machine.TROPE, "serve", str(corpus), "--port", str(port)]
    command += ["--no-browser", "--quiet", "--threads", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout is None or not process.stdout.readline().startswith("http"):
            raise RuntimeError("the workbench did not start")
        yield Server(process, port)
    finally:
        process.terminate()
        process.communicate()


def _peak_of(number: str) -> float:
    status = Path(f"/proc/{number}/status").read_text()
    return int(re.search(r"^VmHWM:\s*(\d+) kB", status, re.M)[1]) * 1024 / 1e6


def _cpu_of(number: str) -> float:
    """Seconds of the processors that a process has used, in its own name and the system's."""
    fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def p(values: Sequence[float], percent: int) -> float:
    """A percentile, interpolated."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def keep(
    times: Times, busy: Times, peak: float, index: Index | None, options: argparse.Namespace
) -> None:
    """Put the figures into the file of results."""
    data = DataRef(name="vua18", split="test", sha256=sha256(options.sentences))
    asked = f"{options.texts:,} texts, one request at a time"
    note = f"{asked}, {machine.describe(2)}, load {os.getloadavg()[0]:.0f}"
    every = [taken for one in times.values() for taken in one]

    def figure(name: str, value: float, n: int, more: str = "") -> Measurement:
        full_note = f"{more}; {note}" if more else note
        return record.measured(f"workbench.{name}", [value], n=n, note=full_note, data=data)

    figures = [
        figure("p50_s", p(every, 50), len(every), "all pages"),
        figure("p95_s", p(every, 95), len(every), "all pages"),
        *(figure(f"view.{kind}.p95_s", p(one, 95), len(one)) for kind, one in times.items()),
        *(
            figure(f"view.{kind}.busy_p95_s", p(one, 95), len(one), "time of processors")
            for kind, one in busy.items()
        ),
        figure("peak_mb", peak, len(every), "the process that answers and its starter, added"),
    ]
    if index is not None:
        figures += [
            figure("index.seconds", index.seconds, options.texts, "built once"),
            figure("index.mb", index.mb, options.texts, "on the disk"),
            figure("index.peak_mb", index.peak_mb, options.texts, "of the process that builds it"),
        ]
    kept = record.read_evaluation(options.results) if options.results.is_file() else None
    record.keep(
        figures,
        tier=kept.tier if kept else "small",
        model_sha256=kept.model_sha256 if kept else "",
        path=options.results,
    )


if __name__ == "__main__":
    sys.exit(main())
