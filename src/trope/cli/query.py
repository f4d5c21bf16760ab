"""`trope query` and `trope methods`: tables of a corpus, and what to write about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import click
import msgspec
from click.core import ParameterSource

from trope.cli.output import open_output
from trope.core.errors import BadInput
from trope.core.records import WordView
from trope.workbench.corpus.queries import COMMANDS, DRAWN, AnyQuery, CompareQuery, make_query
from trope.workbench.requests import BadField, literals

if TYPE_CHECKING:
    from trope.metrics.corrected_rates import CorrectedRate
    from trope.metrics.intervals import Interval
    from trope.workbench.corpus.corpus import IndexedCorpus
    from trope.workbench.corpus.table import CorpusTable

FORMATS = ("text", "csv", "json")
_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]}, subcommand_metavar="VIEW [OPTIONS]"
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.pass_context
def query(context: click.Context, folder: Path) -> None:
    """Query a corpus that trope detect wrote into FOLDER.

    The first query builds an index, which takes a while. Most views need words, which trope
    detect --counts-only leaves out.
    """
    context.obj = {**(context.obj or {}), "folder": folder}


def _run(view: str) -> Callable[..., None]:
    def run(**given: Any) -> None:
        names = [field.name for field in msgspec.structs.fields(COMMANDS[view])]
        judging = {name: given.pop(name, None) for name in _JUDGING}
        if judging["draw"] or judging["judged"]:
            _judge(judging, given)
            return
        try:
            asked = make_query(view, {name: given.pop(name) for name in names}, COMMANDS)
        except BadField as fault:
            option = f"--{fault.field.replace('_', '-')}"
            remedy = f"see trope query FOLDER {view} --help"
            raise BadInput(f"{fault.sentence(option)}; {remedy}") from None
        resume = given.pop("resume", False)
        if view == "features" and given["out"] is not None:
            _write_features(asked, resume, given)
            return
        _answer(asked, **given)

    return run


def _write_features(asked: Any, resume: bool, given: Mapping[str, Any]) -> None:
    from trope.workbench.corpus.features import write_features

    named = "json" if given["as_json"] else given["table_format"]
    if named and f".{named}" != given["out"].suffix:
        problem = "the name says the format of features"
        raise BadInput(f"{given['out']}: {problem}; leave out --format and --json")
    shared = click.get_current_context().obj
    quiet = given["quiet"] or bool(shared.get("quiet"))
    texts = write_features(
        shared["folder"],
        asked,
        given["out"],
        words=asked.words or None,
        index=given["index"],
        resume=resume,
        progress=lambda step: None if quiet else click.echo(step, err=True),
    )
    if not quiet:
        click.echo(f"{given['out']}: features of {texts:,} text{'' if texts == 1 else 's'}")


def _answer(
    asked: AnyQuery,
    *,
    table_format: str | None,
    as_json: bool,
    out: Path | None,
    index: Path | None,
    quiet: bool,
    verbose: bool,
    plot: Path | None = None,
) -> None:
    from trope.render.plots import check_plot
    from trope.workbench.corpus.corpus import open_corpus
    from trope.workbench.corpus.terminal import write_table
    from trope.workbench.corpus.views import answer

    shared = click.get_current_context().obj
    folder, quiet = shared["folder"], quiet or bool(shared.get("quiet"))
    if plot is not None:
        check_plot(plot)

    def tell(step: str, folder: Path = folder) -> None:
        if not quiet:
            click.echo(f"{folder}: {step} …", err=True)

    corpus = open_corpus(folder, words=asked.words or None, index=index, progress=tell)
    try:
        if isinstance(asked, CompareQuery):
            table = _compare(corpus, asked, index, partial(tell, folder=Path(asked.other)))
        else:
            table = answer(corpus, asked)
    finally:
        corpus.close()
    if plot is not None:
        from trope.workbench.corpus.table import draw_table

        draw_table(table, plot)
    by_name = {".csv": "csv", ".json": "json"}.get(out.suffix.lower(), "text") if out else "text"
    form = "json" if as_json else table_format or by_name
    with open_output(out) as file:
        write_table(table, file, form)
    if form == "csv" and not quiet:
        for note in table.notes:
            click.echo(f"trope: {note}", err=True)


def _compare(
    corpus: IndexedCorpus,
    asked: CompareQuery,
    index: Path | None,
    tell: Callable[[str], None],
) -> CorpusTable:
    from trope.workbench.corpus.corpus import open_corpus
    from trope.workbench.corpus.keyness import compare

    other = open_corpus(Path(asked.other), words=asked.words or None, index=index, progress=tell)
    try:
        return compare(corpus, other, asked)
    finally:
        other.close()


_JUDGING = ("draw", "seed", "judged", "question", "positive", "negative")
_OF_SAMPLES = {*_JUDGING, "words", "index", "out", "as_json", "table_format", "quiet", "verbose"}
"""Options that go with a sample; the others are about tables of some texts."""


def _check_sampling(judging: Mapping[str, Any]) -> None:
    """Refuse what a sample of the whole corpus cannot take into account."""
    if judging["draw"] and judging["judged"]:
        raise BadInput("--draw and --judged are two steps; give one of them")
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in _OF_SAMPLES:
            problem = f"{option.opts[0]} does not go with --draw and --judged"
            raise BadInput(f"{problem}, which are about all words of a corpus; leave it out")


def _judge(judging: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Write a random sample of words to judge, or the rate that its judgments give."""
    from trope.workbench.corpus.annotation import draw_words, judged_rate
    from trope.workbench.corpus.corpus import open_corpus

    _check_sampling(judging)
    judged, notes = _judged_words(judging) if judging["judged"] else ({}, [])
    folder = click.get_current_context().obj["folder"]
    corpus = open_corpus(
        folder, words=given["words"], index=given["index"], progress=lambda step: None
    )
    counted = corpus.counted
    try:
        corpus.need_words("rates")
        if judging["draw"]:
            items = draw_words(corpus, judging["draw"], seed=judging["seed"])
            with open_output(given["out"]) as file:
                file.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
            return
        rate = judged_rate(corpus, judged)
    finally:
        corpus.close()
    half = rate.judgments_for(min(max((rate.width or 0.1) / 2, 0.001), 0.99))
    notes = [*rate.notes, *notes]
    if given["as_json"] or given["table_format"] == "json":
        document = asdict(rate) | counted | {"judgments_for_half": half, "notes": notes}
        text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    else:
        text = "\n".join(_rate_lines(rate, counted, half))
        for note in notes:
            click.echo(f"note: {note}", err=True)
    with open_output(given["out"]) as file:
        file.write(f"{text}\n")


def _rate_lines(rate: CorrectedRate, counted: Mapping[str, Any], half: int | None) -> Iterator[str]:
    from trope.workbench.corpus.table import counted_in_words

    yield f"corrected  {percent(rate.corrected)}"
    yield f"classical  {percent(rate.classical)}, {rate.judged:,} judged words"
    yield f"model      {100 * rate.model:.2f} % of {rate.items:,} words"
    if half is not None:
        yield f"an interval half as wide needs about {half:,} judged words"
    yield f"the model counts {counted_in_words(counted)} (--words {counted['asked_view']})"


def _judged_words(judging: Mapping[str, Any]) -> tuple[dict[str, tuple[str, bool]], list[str]]:
    """The items of a project with the ids of their texts, and whether they are metaphors."""
    from trope.annotate.exchange.records import Losses
    from trope.annotate.project import open_project
    from trope.annotate.store.database import connect

    connect(project := open_project(judging["judged"]))
    from trope.annotate.store.labels import labelled_items
    from trope.annotate.store.model_measures import asked_question

    question = asked_question(project.plan, judging["question"] or "")
    found, unclear = {}, 0
    for one in labelled_items(project.plan, Losses()):
        label = str(one.labels[question.id].label) if question.id in one.labels else ""
        if label in (judging["positive"], judging["negative"]):
            identifier = str(one.item.payload.get("corpus_id", ""))
            found[one.item.id] = (identifier, label == judging["positive"])
        else:
            unclear += 1
    if not found:
        raise BadInput(f"{judging['judged']}: no item has all its judgments yet; run this later")
    return found, [f"{unclear} words without a clear label are left out"] if unclear else []


def percent(interval: Interval) -> str:
    """An interval of a rate, in per cent."""
    values = [100 * (value or 0.0) for value in (interval.value, interval.low, interval.high)]
    return "{:.2f} % ({:.2f} to {:.2f})".format(*values)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--words", type=click.Choice(get_args(WordView)),
              help="Words that count as metaphors.  [default: as in the corpus]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option("--out", type=_FILE, help="File to write.")
@click.option("--index", type=_FOLDER, help="Folder of the index.  [default: your cache folder]")
def methods(
    folder: Path, words: WordView | None, as_json: bool, out: Path | None, index: Path | None
) -> None:
    """Write the paragraph on methods that a paper about a corpus needs.

    FOLDER is one that trope detect wrote. The paragraph states version, model, counts, rate and the
    measured quality of the model; the references follow.
    """
    from trope.workbench.corpus.corpus import open_corpus
    from trope.workbench.corpus.methods import ADVICE, methods_text

    corpus = open_corpus(folder, words=words, index=index)
    try:
        text = methods_text(corpus)
    finally:
        corpus.close()
    with open_output(out) as file:
        if as_json:
            file.write(msgspec.json.format(msgspec.json.encode(text.to_dict())).decode() + "\n")
        else:
            file.write(text.to_text())
    if not (click.get_current_context().obj or {}).get("quiet"):
        click.echo(f"trope: {ADVICE}", err=True)


def _options(view: str) -> list[click.Parameter]:
    """The parameters of a view: the fields of its query, and options for the output."""
    hints = get_type_hints(COMMANDS[view], include_extras=True)
    fields = msgspec.structs.fields(COMMANDS[view])
    found = [_parameter(field, hints[field.name]) for field in fields if field.name != "other"]
    if view == "text":
        found[0] = click.Argument(["text"], type=int, metavar="NUMBER")
    if view == "compare":
        found.insert(0, click.Argument(["other"], type=str, metavar="OTHER"))
    drawn = "Draw the table into this .svg, .png or .pdf file."
    built = "Folder of the index.  [default: your cache folder]"
    return [
        *found,
        click.Option(
            ["--format", "table_format"],
            type=click.Choice(FORMATS),
            help="Format of the table.  [default: by the name of --out, or text]",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Same as --format json."),
        click.Option(["--out"], type=_FILE, help=_ALL if view == "features" else "File to write."),
        *(_judging_options() if view == "rates" else []),
        *([click.Option(["--resume"], is_flag=True, help=_RESUMED)] if view == "features" else []),
        *([click.Option(["--plot"], type=_FILE, help=drawn)] if view in DRAWN else []),
        click.Option(["--index"], type=_FOLDER, help=built),
        click.Option(["--quiet"], is_flag=True, help="No notes on standard error."),
        click.Option(["--verbose"], is_flag=True, help="Show tracebacks of errors."),
    ]


_ALL = "File to write: all texts, as .csv or .parquet."
_RESUMED = "Go on with a file of --out that was not finished."


def _judging_options() -> list[click.Option]:
    return [
        click.Option(["--draw"], type=click.IntRange(min=1), metavar="N",
                     help="Write N random words as items to judge, and no table."),
        click.Option(["--seed"], type=int, default=0, show_default=True, help="Seed of --draw."),
        click.Option(["--judged"], type=_FOLDER, metavar="PROJECT",
                     help="The rate of metaphor, corrected by this project's judgments of drawn "
                          "words."),
        click.Option(["--question"], metavar="ID", help="Its question.  [default: the first]"),
        click.Option(["--positive"], default="yes", show_default=True, metavar="LABEL",
                     help="The answer that means metaphor."),
        click.Option(["--negative"], default="no", show_default=True, metavar="LABEL",
                     help="The answer that means none; words with any other are left out."),
    ]  # fmt: skip


def _parameter(field: msgspec.structs.FieldInfo, hint: Any) -> click.Parameter:
    kind, *metas = get_args(hint)
    description = next(m.description for m in reversed(metas) if m.description)
    names = [f"--{field.name.replace('_', '-')}", field.name]
    if kind is bool:
        return click.Option(names, is_flag=True, help=description)
    if get_origin(kind) is tuple:
        return click.Option(names, multiple=True, metavar="COLUMN=VALUE", help=description)
    required = field.default is msgspec.NODEFAULT
    shown = not required and field.default != "" and "[default" not in description
    return click.Option(
        names,
        type=_click_type(kind),
        required=required,
        **({} if required or field.default == "" else {"default": field.default}),
        show_default=shown,
        metavar=None if get_origin(kind) is Literal else _METAVARS.get(field.name),
        help=description,
    )


_METAVARS = {"by": "COLUMN", "part": "VALUE", "against": "VALUE", "regex": "PATTERN"}
_METAVARS |= dict.fromkeys(("lemma", "form", "object", "subject"), "WORD")


def _click_type(kind: Any) -> Any:
    """The click type of a field; limits are checked later."""
    if get_origin(kind) is Literal:
        return click.Choice([one for one in literals(kind) if one])
    return kind


def _command(view: str) -> click.Command:
    summary = COMMANDS[view].__doc__ or ""
    first = f"{summary.partition('.')[0]}."
    return click.Command(
        view, params=_options(view), callback=_run(view), help=summary, short_help=first
    )


for _view in COMMANDS:
    query.add_command(_command(_view))
