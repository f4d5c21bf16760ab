"""`trope train TASK`: a table of the tasks, their options, and what is called with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from trope.cli.analogy import training_arguments
from trope.cli.commands import given_arguments
from trope.cli.judgments import LABELS_HELP, own_training_options, train_own
from trope.cli.output import is_quiet, message_writer
from trope.core.errors import BadInput

Options = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _TrainTask:
    """A subcommand: `training` is its name in the catalogue, `arguments` what it is called with."""

    name: str
    training: str
    short: str
    help: str
    options: tuple[click.Option, ...]
    arguments: Callable[[Options], Options] = dict
    takes_quiet: bool = False


def _encoder(options: Options) -> Options:
    from trope.train.encoder.run import read_settings, sets_left_out

    settings = read_settings(options.pop("config"))
    without = sets_left_out(settings, options["without"], options.pop("including"))
    if (seed := options.pop("seed")) is not None:
        settings = replace(settings, seed=seed)
    given = given_arguments(click.get_current_context(), without=("jobs", "until", "minutes"))
    return {**_with_work(options), "settings": settings, "without": without, "given": given}


def _headlines(options: Options) -> Options:
    from trope.train.encoder.headline_settings import read_headline_settings

    return {"settings": read_headline_settings(options.pop("config")), **_with_work(options)}


def _with_work(options: Options) -> Options:
    work = options["work"] or options["out"] / "work"
    work.mkdir(parents=True, exist_ok=True)
    return {**options, "work": work}


def _hub(task: str, options: Options) -> Options:
    if options.pop("sets") or options["model"] is None:
        raise BadInput("give an encoder with --model, or a file with labels of your own with --on")
    from trope.train.hub.loop import hub_settings

    return {"settings": hub_settings(task, options.pop("config"), options.pop("seed")), **options}


def _metaphor(options: Options) -> Options:
    from trope.train.hub.loop import hub_settings, numbered_seeds

    preset = options.pop("preset") or "newsmet"
    settings = hub_settings(preset, options.pop("config"), options.pop("seed"))
    silver, prepare_only = options["silver"], options.pop("prepare_only")
    gold: Path | None = options.pop("gold")
    if prepare_only and not silver:
        raise BadInput("--prepare-only belongs to --silver; give both or none")
    if gold and not silver:
        raise BadInput("--gold belongs to --silver; give both or none")
    if options["model"] is None and not prepare_only:
        raise BadInput(
            f"no encoder is named; give one with --model, for example {settings.model}, or train "
            "the heads that ship with 'trope train encoder' and 'trope train base'"
        )
    from trope.release.newsmet_gold import read_newsmet_gold

    own = None if gold is None else read_newsmet_gold(gold)
    names = tuple(name.strip() for name in options.pop("sets").split(",") if name.strip())
    seeds = numbered_seeds(options.pop("seeds"))
    return options | {"settings": settings, "own": own, "on": names, "seeds": seeds}


_FOLDER = click.Path(path_type=Path, file_okay=False)
_EXISTING = click.Path(path_type=Path, file_okay=False, exists=True)
_FILE = click.Path(path_type=Path, dir_okay=False)
_POSITIVE, _SOME = click.IntRange(min=1), click.IntRange(min=10)
_MODEL = "Encoder to fine-tune: a folder with safetensors, or NAME@COMMIT of the Hub."


def _option(*names: str, **settings: Any) -> click.Option:
    return click.Option(names, **settings)


def _out(what: str) -> click.Option:
    return _option("--out", type=_FOLDER, required=True, help=f"Folder for {what}.")


def _config(of: str) -> click.Option:
    return _option("--config", type=_FILE, help=f"Settings, as TOML, instead of those of {of}.")


def _work(what: str) -> click.Option:
    text = f"Folder for {what}; run again to resume.  [default: OUT/work]"
    return _option("--work", type=_FOLDER, help=text)


_DATA = _option("--from", "data", required=True, type=_EXISTING,
                help="Folder with the corpora, one folder each (see `trope data`).")  # fmt: skip
_DEVICE = _option("--device", default="auto", show_default=True, help="cpu, cuda or auto.")
_SEED = _option("--seed", type=int, help="Seed instead of the one in the settings.")
_WITHOUT = _option("--without", multiple=True, metavar="SET",
                   help="Leave a training set out; repeat for several.")  # fmt: skip
_WITH = _option("--with", "including", multiple=True, metavar="SET",
                help="Read a set too that forbids commercial use; repeat for several.")  # fmt: skip
_THREADS = _option("--threads", type=_POSITIVE, help="Threads of the model.")
_BASE_WEIGHTS = _option("--base-weights", type=_EXISTING,
                        help="Folder of the public weights of the tier base.")  # fmt: skip
_JOBS = _option("--jobs", type=_POSITIVE, default=1, show_default=True,
                help="Trainings at a time.")  # fmt: skip


def _drawing_seed(what: str) -> click.Option:
    return _option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
                   help=f"Decides {what}.")  # fmt: skip


_TIER = (
    _DATA, _out("the finished model"), _work("base weights and the results of each stage"),
    _WITHOUT, _WITH, _config("the shipped models"), _SEED,
    _option("--seeds", type=_POSITIVE, default=1, show_default=True,
            help="How many to train; the best on development data goes to OUT, all stay in WORK."),
    _DEVICE,
)  # fmt: skip
_RUN = (
    _option("--folds", metavar="SET",
            help="Judge each fold of relocar or idiom-sentences without it."),
    _option("--stage", metavar="NAME", help="Only this stage, such as teacher-syntax-0."),
    _option("--jobs", type=_POSITIVE, default=1, show_default=True,
            help="Stages at a time, each a process with a log in WORK/logs."),
    _option("--until", multiple=True, metavar="NAME",
            help="Only stages whose names begin so, and what they need; repeat for several."),
    _option("--minutes", type=click.FloatRange(min=0, min_open=True),
            help="End after this time; run again to go on."),
)  # fmt: skip
_OWN = tuple(own_training_options())
_TEXTS = (
    _option("--model", help=_MODEL),
    _option("--on", "sets", default="", metavar="FILE", help=f"Train on {LABELS_HELP}."),
    *_OWN, _out("the finished system"), _config("the preset"), _work("checkpoints"), _SEED, _DEVICE,
)  # fmt: skip
_RESUMES_EPOCH = "Start an interrupted run again with the same folders to resume after an epoch."
_ENCODER = _TrainTask(
    "encoder", "encoder", "The tier small: one encoder for all tasks.",
    """The tier `small`: one encoder for trees, metaphors, names, sentiment and meaning.

    Trains the teachers of each task first, then a small student that learns from all of them. About
    twenty minutes on one large GPU, days on a laptop. Start an interrupted run again with the same
    folders to resume after its last finished stage.
    """,
    (*_TIER, *_RUN), _encoder,
)  # fmt: skip

_TASKS = (
    _ENCODER,
    replace(_ENCODER, name="syntax"),  # trees and metaphors are trained together
    _TrainTask(
        "base", "base", "The tier base: adapters on a large public encoder.",
        """The tier `base`: adapters on a large public encoder, with the same teachers.

        Give the work folder of `trope train encoder` to use its teachers again.
        """,
        (*_TIER, *_RUN), _encoder,
    ),
    _TrainTask(
        "vectors", "vectors", "The static word vectors that ship.",
        "The static word vectors that ship: the vectors of a large encoder for single words.",
        _TIER, _encoder,
    ),
    _TrainTask(
        "headlines", "headlines", "The head of the tier base for whole headlines.",
        """The head of the tier `base` that judges whole headlines, after `trope train base`.

        Many teachers read NewsMet a few times each; the head learns their scores of unlabelled
        headlines. Everything else in the adapters stays the same. Ten minutes on one large GPU, or
        less with the work folder of `trope train encoder`, which has asked the same teachers.
        """,
        (
            _DATA,
            _out("the new adapters"),
            _option("--adapters", type=_EXISTING,
                    help="Folder that `trope train base` wrote.  [default: the shipped one]"),
            _BASE_WEIGHTS, _work("the results of each stage"), _config("the shipped head"),
            _option("--calibrate-only", is_flag=True,
                    help="Keep the head; choose calibration and threshold again, as needed after a "
                    "new tier small."),
            _DEVICE,
        ),
        _headlines,
    ),
    _TrainTask(
        "metaphor", "metaphor-hub", "A metaphor detector from any Hugging Face encoder.",
        f"A metaphor detector from any Hugging Face encoder.\n\n{_RESUMES_EPOCH}",
        (
            _option("--model", help=_MODEL),
            *_OWN,
            _out("the detector or the predictions"),
            _option("--preset", default="", help="Settings that ship: newsmet (sentences) or words."
                    "  [default: newsmet; for labels of your own, by what is labelled]"),
            _config("the preset"),
            _option("--on", "sets", default="", metavar="SETS",
                    help="Sets to train on, such as newsmet,lcc,moh [default: newsmet; words: "
                    f"vua18], or {LABELS_HELP}. With --silver: tables to add to the sets."),
            _option("--gold-plus", "reading", type=click.Choice(["all_six", "accepted_only"]),
                    default="all_six", show_default=True,
                    help="Use NewsMet with or without its rejected candidates."),
            _option("--trofi", type=_FILE, help="TroFi's example base, if you have it."),
            _work("checkpoints"),
            _SEED,
            _DEVICE,
            _option("--silver", is_flag=True,
                    help="Train NewsMet's detectors (D_imbal, D_bal, with gold+) and predict its "
                    "test sets."),
            _option("--gold", type=_FOLDER, metavar="RUN",
                    help="With --silver: gold and gold+ of this run of `trope recipe run newsmet` "
                    "instead of the released ones."),
            _option("--seeds", default="42,43,44", show_default=True, help="Seeds of --silver."),
            _option("--prepare-only", is_flag=True,
                    help="With --silver: write the training data into OUT/prepared and stop."),
            _JOBS,
        ),
        _metaphor, takes_quiet=True,
    ),
    _TrainTask(
        "metonymy", "metonymy-hub", "The readings of names, from any Hugging Face encoder.",
        f"A system for the readings of names from any Hugging Face encoder.\n\n{_RESUMES_EPOCH}",
        _TEXTS, partial(_hub, "metonymy"), takes_quiet=True,
    ),
    _TrainTask(
        "sentiment", "sentiment-hub", "The sentiment of tweets, from any Hugging Face encoder.",
        f"A system for the sentiment of tweets from any Hugging Face encoder.\n\n{_RESUMES_EPOCH}",
        _TEXTS, partial(_hub, "sentiment"), takes_quiet=True,
    ),
    _TrainTask(
        "analogy", "analogy", "Multiple-choice models of analogies, fold by fold.",
        """Models that choose the end of an analogy.

        With --on, a system that learns your own items: a light one or, with --model, a fine-tuned
        encoder. `trope analogy answer` uses it. With --from, one model for each fold of MEAN: no
        weights, but predictions, which `trope evaluate analogy --tier base --predictions` reads.
        Results that are in OUT already are kept, so you can resume an interrupted run.
        """,
        (
            _option("--from", "data", type=_EXISTING,
                    help="Folder with the corpora, one folder each; not for --on."),
            _option("--on", "own", type=click.Path(path_type=Path, exists=True), metavar="FILE",
                    help="A table with MEAN's columns, or a run of mean; one metaphor in five is "
                         "set aside."),
            _option("--all", "all_items", is_flag=True,
                    help="With --on: train on all items, and set nothing aside."),
            _out("the system, or the training data and the predictions"),
            _option("--model", type=_FOLDER,
                    help="Encoder to fine-tune: a folder with safetensors."),
            _option("--prepare", "prepare_only", is_flag=True,
                    help="Write the training data into OUT/prepared and stop."),
            _DEVICE,
            _JOBS,
            _drawing_seed("which wrong choices are proposed and drawn"),
        ),
        training_arguments,
    ),
    _TrainTask(
        "rewriting", "rewriting", "The rankers of substitutes.",
        """The rankers of substitutes, from sets that people judged. Minutes on a laptop.

        Both tiers need the public weights: the small encoder has seen the headlines that the
        rankers learn from, so they learn with the vectors of its teacher, which the tier base reads
        too. Word vectors (static) are for models without the head for meaning.
        """,
        (
            _DATA,
            _out("the ranker"),
            _option("--vectors", type=click.Choice(("encoder", "static")), default="encoder",
                    show_default=True, help="Vectors that similarity is computed from."),
            _BASE_WEIGHTS,
            _WITHOUT,
            _option("--targets", type=_SOME, default=400, show_default=True,
                    help="Targets of each substitution set."),
            _option("--in-place", type=_SOME, default=150, show_default=True,
                    help="How many of these have candidates that are read in their sentence."),
            _option("--open-headlines", type=_SOME, default=150, show_default=True,
                    help="Headlines that choose the share of the shortlist."),
            _option("--work", type=_FOLDER,
                    help="Folder that keeps computed features for another run."),
            _option("--noise-headlines", type=_SOME, default=150, show_default=True,
                    help="Headlines on which student and teacher are compared."),
            _THREADS,
            _drawing_seed("samples and folds"),
        ),
    ),
    _TrainTask(
        "verbs", "verbs", "The vectors of verbs that rewriting compares.",
        "The vectors of verbs that `rewriting` compares, from the public weights alone. Minutes.",
        (_out("the vectors"), _BASE_WEIGHTS, _THREADS),
    ),
    _TrainTask(
        "associations", "associations", "Which verbs occur with which words, from headlines.",
        "Which verbs occur with which words, from the trees of headlines. Minutes on a laptop.",
        (
            _DATA,
            _out("the vectors"),
            _option("--headlines", "number", type=_POSITIVE, default=70_000, show_default=True,
                    help="How many headlines are read."),
            _THREADS,
            _drawing_seed("which headlines"),
        ),
    ),
)  # fmt: skip


@click.group()
def train() -> None:
    """Train on labels of your own, or train the shipped models again from public base weights."""


def _run(task: _TrainTask, **options: Any) -> None:
    from trope.catalog import TRAININGS

    ctx = click.get_current_context()
    if "everything" in options and train_own(task.name, options, message_writer(ctx)):
        return
    name = "metaphor-silver" if options.get("silver") else task.training
    arguments = task.arguments(options)
    arguments.pop("silver", None)
    if task.takes_quiet:
        arguments["quiet"] = is_quiet(ctx)
    TRAININGS.load(name)(say=message_writer(ctx), **arguments)


for _task in _TASKS:
    train.add_command(
        click.Command(
            _task.name,
            callback=partial(_run, _task),
            params=list(_task.options),
            help=_task.help,
            short_help=_task.short,
        )
    )
