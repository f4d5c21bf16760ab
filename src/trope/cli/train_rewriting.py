"""`trope train rewriting`: the ranker of substitutes."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--from", "data", required=True, help="Folder with the corpora, one folder each.",
              type=click.Path(path_type=Path, file_okay=False, exists=True))  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="Folder for the ranker.")  # fmt: skip
@click.option("--tier", default="small", show_default=True, help="Whose vectors it reads.")
@click.option("--base-weights", help="Folder of the public weights that the tier base stands on.",
              type=click.Path(path_type=Path, exists=True))  # fmt: skip
@click.option("--without", multiple=True, metavar="SET", help="Leave a training set out; repeat.")
@click.option("--targets", type=click.IntRange(min=10), default=600, show_default=True,
              help="Targets of each substitution set.")  # fmt: skip
@click.option("--in-place", type=click.IntRange(min=10), default=450, show_default=True,
              help="Of these, so many with candidates that are read in place.")  # fmt: skip
@click.option("--open-headlines", type=click.IntRange(min=10), default=568, show_default=True,
              help="Headlines that the share of the shortlist is chosen on.")  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), help="Threads of the model.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Decides samples and folds.")  # fmt: skip
@click.pass_context
def rewriting(
    ctx: click.Context,
    data: Path,
    out: Path,
    tier: str,
    base_weights: Path | None,
    without: tuple[str, ...],
    targets: int,
    in_place: int,
    open_headlines: int,
    threads: int | None,
    seed: int,
) -> None:
    """The ranker of substitutes, from sets that people judged. Minutes on a laptop.

    The tier small needs the public weights too: its encoder has seen the headlines that are learnt
    from, so the weights are learnt on the vectors of its teacher.
    """
    from trope.pipeline import Pipeline
    from trope.tasks.rewriting.meaning import PublicMeanings, open_meanings
    from trope.train.rewriting import Run, Sizes, train_rewriting

    pipeline = Pipeline(tier=tier, threads=threads, base_weights=base_weights)
    meanings = open_meanings(pipeline.encoder, tier, base_weights=base_weights, threads=threads)
    teacher = (
        PublicMeanings(pipeline.vocabulary, base_weights, threads)
        if meanings.kind == "encoder"
        else None
    )
    quiet = bool(ctx.obj and ctx.obj.get("quiet"))
    run = Run(
        data=data,
        parser=pipeline,
        meanings=meanings,
        teacher=teacher,
        sizes=Sizes(targets, in_place, open_headlines),
        without=frozenset(without),
        seed=seed,
        say=(lambda message: None) if quiet else (lambda message: click.echo(message, err=True)),
    )
    out.mkdir(parents=True, exist_ok=True)
    train_rewriting(run, out)
