"""`trope train rewriting`, `verbs`, `associations`: what ranks substitutes, and what it reads."""

from __future__ import annotations

from pathlib import Path

import click

from trope.cli.output import message_writer


@click.command()
@click.option("--from", "data", required=True, help="Folder with the corpora, one folder each.",
              type=click.Path(path_type=Path, file_okay=False, exists=True))  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="Folder for the ranker.")  # fmt: skip
@click.option("--vectors", type=click.Choice(("encoder", "static")), default="encoder",
              show_default=True, help="What says how near words are.")  # fmt: skip
@click.option("--base-weights", help="Folder of the public weights that the tier base stands on.",
              type=click.Path(path_type=Path, exists=True))  # fmt: skip
@click.option("--without", multiple=True, metavar="SET", help="Leave a training set out; repeat.")
@click.option("--targets", type=click.IntRange(min=10), default=400, show_default=True,
              help="Targets of each substitution set.")  # fmt: skip
@click.option("--in-place", type=click.IntRange(min=10), default=150, show_default=True,
              help="Of these, so many with candidates that are read in place.")  # fmt: skip
@click.option("--open-headlines", type=click.IntRange(min=10), default=150, show_default=True,
              help="Headlines that the share of the shortlist is chosen on.")  # fmt: skip
@click.option("--work", type=click.Path(path_type=Path, file_okay=False),
              help="Folder that keeps what was read in place, for another run.")  # fmt: skip
@click.option("--noise-headlines", type=click.IntRange(min=10), default=150, show_default=True,
              help="Headlines that student and teacher are compared on.")  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), help="Threads of the model.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Decides samples and folds.")  # fmt: skip
@click.pass_context
def rewriting(
    ctx: click.Context,
    data: Path,
    out: Path,
    vectors: str,
    base_weights: Path | None,
    without: tuple[str, ...],
    targets: int,
    in_place: int,
    open_headlines: int,
    work: Path | None,
    noise_headlines: int,
    threads: int | None,
    seed: int,
) -> None:
    """The rankers of substitutes, from sets that people judged. Minutes on a laptop.

    The public weights are needed for both tiers: the small encoder has seen the headlines that are
    learnt from, so the weights are learnt on the vectors of its teacher, which are those that the
    tier base reads. Word vectors (static) are for models without the head for meaning.
    """
    from trope.pipeline import Pipeline
    from trope.tasks.rewriting.meaning import (
        EncoderMeanings,
        Meanings,
        PublicMeanings,
        StaticMeanings,
    )
    from trope.train.rewriting import train_rewriting
    from trope.train.rewriting_run import RewritingRun, Sizes

    pipeline = Pipeline(threads=threads)
    meanings: Meanings = StaticMeanings()
    teacher = None
    if vectors == "encoder":
        meanings = EncoderMeanings(pipeline.encoder)
        teacher = PublicMeanings(pipeline.vocabulary, base_weights, threads)
    run = RewritingRun(
        data=data,
        parser=pipeline,
        meanings=meanings,
        teacher=teacher,
        sizes=Sizes(targets, in_place, open_headlines, noise_headlines),
        without=frozenset(without),
        seed=seed,
        work=work,
        say=message_writer(ctx),
    )
    out.mkdir(parents=True, exist_ok=True)
    train_rewriting(run, out)


@click.command(short_help="The vectors of verbs that rewriting compares.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="Folder for the vectors.")  # fmt: skip
@click.option("--base-weights", help="Folder of the public weights that the tier base stands on.",
              type=click.Path(path_type=Path, exists=True))  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), help="Threads of the model.")
def verbs(out: Path, base_weights: Path | None, threads: int | None) -> None:
    """The vectors of verbs that `rewriting` compares, from the public weights alone. Minutes."""
    from trope.pipeline import Pipeline
    from trope.tasks.rewriting.inventory import known_verbs
    from trope.tasks.rewriting.meaning import PublicMeanings
    from trope.train.rewriting_verbs import train_verbs

    meanings = PublicMeanings(Pipeline(threads=threads).vocabulary, base_weights, threads)
    file = train_verbs(known_verbs(), meanings, out)
    click.echo(f"the vectors are in {file}", err=True)


@click.command(short_help="Which verbs stand with what, from headlines.")
@click.option("--from", "data", required=True, help="Folder with the corpora, one folder each.",
              type=click.Path(path_type=Path, file_okay=False, exists=True))  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="Folder for the vectors.")  # fmt: skip
@click.option("--headlines", "number", type=click.IntRange(min=1), default=70_000,
              show_default=True, help="How many headlines are read.")  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), help="Threads of the model.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Decides which headlines.")  # fmt: skip
@click.pass_context
def associations(
    ctx: click.Context, data: Path, out: Path, number: int, threads: int | None, seed: int
) -> None:
    """Which verbs stand with what, counted in the trees of headlines. Minutes on a laptop."""
    from trope.pipeline import Pipeline
    from trope.train.associations import train_associations
    from trope.train.sources import read_text_set

    say = message_writer(ctx)
    headlines = read_text_set(data, "headlines", say)
    file = train_associations(
        headlines, Pipeline(threads=threads), out, number=number, seed=seed, say=say
    )
    say(f"the vectors are in {file}")
