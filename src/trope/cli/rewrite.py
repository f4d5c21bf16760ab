"""`trope rewrite`: what a metaphor means literally, and a metaphor for a literal verb.

With `--model NAME`, the candidates are those of the NewsMet paper, by a masked language model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import repeat
from pathlib import Path
from typing import TypeVar, get_args

import click
import msgspec

from trope.cli.completion import complete_files
from trope.cli.sources import ReadingOptions, read_sources
from trope.core.errors import BadInput
from trope.core.records import Analysis, TextKind
from trope.pipeline import Pipeline
from trope.render import rewritings_to_json
from trope.tasks.rewriting.masked_lm import Filler, MaskedModel, SilverCandidates, silver_candidates
from trope.tasks.rewriting.rewriter import Rewriting, find_verb
from trope.tasks.rewriting.task import DIRECTIONS, Direction
from trope.tasks.rewriting.texts import sentence_parses
from trope.tasks.rewriting.user_candidates import read_candidates

T = TypeVar("T")


def load_pipeline(tier: str, threads: int | None, base_weights: Path | None) -> Pipeline:
    """The pipeline that the command uses; tests replace it."""
    return Pipeline(tier=tier, threads=threads, base_weights=base_weights)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", nargs=-1, metavar="[TEXT | FILE …]", shell_complete=complete_files)
@click.option("--text", "given", help="The text, if it could be read as a file name.")
@click.option("--to", type=click.Choice(DIRECTIONS),
              help="Literal verbs for metaphors, or metaphorical ones for others.")  # fmt: skip
@click.option("--verb", help="Only this verb of the text, metaphor or not.")
@click.option("--top", type=click.IntRange(1, 40), default=6, show_default=True,
              help="Candidates per verb.")  # fmt: skip
@click.option("--candidates", metavar="FILE|A,B,…",
              help="Rank these verbs and no others: a file with one per line, or a list with "
              "commas.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(("text", "json", "items")), default="text",
              show_default=True, help="Format of the output; items, in both directions, are for "
              "`trope annotate import`.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--kind", type=click.Choice(get_args(TextKind)), default="plain", show_default=True,
              help="Kind of the texts; tweets and headlines are normalised first.")  # fmt: skip
@click.option("--tier", default="small", show_default=True,
              help="Tier of the model: small or base.")  # fmt: skip
@click.option("--base-weights", help="Folder of the public weights that the tier base needs.",
              type=click.Path(path_type=Path, exists=True))  # fmt: skip
@click.option("--model", metavar="NAME",
              help="Candidates of this masked language model (a folder, or NAME@COMMIT of the "
              "Hub), as NewsMet's; both directions.")  # fmt: skip
@click.option("--focus-verb-may-stay", is_flag=True,
              help="With --model: the verb itself may be among the candidates.")  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use.  [default: all cores]")
@click.option("--seed", type=int, hidden=True, help="Without effect: nothing here is random.")
def rewrite(
    sources: tuple[str, ...],
    given: str | None,
    to: Direction | None,
    verb: str | None,
    top: int,
    candidates: str | None,
    form: str,
    as_json: bool,
    kind: TextKind,
    tier: str,
    base_weights: Path | None,
    model: str | None,
    focus_verb_may_stay: bool,
    threads: int | None,
    seed: int | None,
) -> int:
    """Literal or metaphorical alternatives for the verbs of a TEXT.

    Without --verb, --to literal rewrites the metaphors and --to metaphorical all other verbs. Each
    candidate has three scores: how well it fits its subject and object, how close its meaning is,
    and how likely it is a metaphor there.
    """
    if to is None and form != "items" and model is None:
        raise BadInput("no direction is given; add --to literal or --to metaphorical")
    if candidates is not None and model is not None:
        raise BadInput("--model makes its own candidates; leave out --candidates or --model")
    own_words = None if candidates is None else read_candidates(candidates)
    if given is not None:
        texts = [given]
    else:
        texts = [named.text for named in read_sources(sources, ReadingOptions())]
    filler = load_model(model) if model is not None else None
    pipeline = load_pipeline(tier, threads, base_weights)
    form = "json" if as_json else form
    if filler is not None:
        silver, refused = _all_that_could(
            texts,
            _tried(
                texts,
                lambda text: masked_candidates(
                    pipeline, filler, text, verb, may_stay=focus_verb_may_stay
                ),
            ),
        )
        write_masked([own for _, own in silver], form)
        return 1 if refused else 0

    def both_ways(text: str) -> list[Rewriting]:
        named = verb or _focus(pipeline, text)
        return [
            rewriting
            for direction in DIRECTIONS
            for rewriting in pipeline.rewrite(
                text, to=direction, verb=named, top=top, kind=kind, candidates=own_words
            )
        ]

    found, refused = _all_that_could(
        texts,
        _tried(texts, both_ways)
        if to is None or form == "items"
        else pipeline.rewrite_many(
            texts, to=to, verbs=repeat(verb), top=top, kind=kind, candidates=own_words
        ),
    )
    _write(found, form)
    return 1 if refused else 0


def _tried(texts: Iterable[str], rewritten: Callable[[str], T]) -> Iterator[T | BadInput]:
    """The rewriting of each text, or why there is none."""
    for text in texts:
        try:
            yield rewritten(text)
        except BadInput as problem:
            yield problem


def _all_that_could(
    texts: Sequence[str], results: Iterable[T | BadInput]
) -> tuple[list[tuple[str, T]], int]:
    """Each text with its rewriting, and how many had none; a single text must have one."""
    found, refused = [], 0
    for text, result in zip(texts, results, strict=True):
        if not isinstance(result, BadInput):
            found.append((text, result))
        elif len(texts) == 1:
            raise result
        else:
            refused += 1
            click.echo(f"trope: {text!r}: {result}", err=True)
    return found, refused


def _focus(pipeline: Pipeline, text: str) -> str:
    return focus_verb(pipeline.analyze(text, kind="headline", tasks=("syntax", "relations")))


def _write(found: Sequence[tuple[str, list[Rewriting]]], form: str) -> None:
    if form == "items":
        for number, (text, own) in enumerate(found, start=1):
            click.echo(msgspec.json.encode(_item(f"h{number}", text, own)).decode())
    elif form == "json":
        click.echo(rewritings_to_json(found))
    else:
        for text, own in found:
            click.echo("\n".join([text, *map(_shown, own)]))


def _item(identifier: str, text: str, own: Sequence[Rewriting]) -> dict[str, object]:
    """A headline with silver candidates, as the annotation template `newsmet` reads it."""
    forms: dict[str, object] = {r.to: [c.form for c in r.candidates] for r in own}
    return {"id": identifier, "text": text, "highlight": own[0].verb, **forms}


def _shown(rewriting: Rewriting) -> str:
    """A verb with its candidates, one per line."""
    lines = [f"  {rewriting.verb}  (metaphor {rewriting.metaphor:.2f}), {rewriting.to}:"]
    width = max((len(candidate.form) for candidate in rewriting.candidates), default=0)
    lines += [
        f"    {candidate.form:{width}}  score {candidate.score:+.2f}  fit {candidate.fit:+.2f}  "
        f"meaning {candidate.meaning:.2f}  metaphor {candidate.metaphor:.2f}"
        for candidate in rewriting.candidates
    ]
    if not rewriting.candidates:
        lines.append(f"    no {rewriting.to} verb that says the same was found")
    lines += [f"    not ranked: {own.word!r} {own.reason}" for own in rewriting.refused]
    return "\n".join(lines)


def load_model(model: str | Path) -> Filler:
    """The model that fills masked places; tests put another in its place."""
    return MaskedModel(model)


def focus_verb(analysis: Analysis) -> str:
    """The verb of a headline's triplet, at the root of its tree.

    Raises:
        BadInput: where there is none.
    """
    verbs = [r.verb for r in analysis.relations if r.kind == "svo" and r.kept]
    if not verbs:
        raise BadInput("has no subject, verb and object at its root; choose a verb with --verb")
    return analysis.tokens[verbs[0]].text


def masked_candidates(
    pipeline: Pipeline, filler: Filler, text: str, verb: str | None, *, may_stay: bool
) -> SilverCandidates:
    """The paper's candidates for the named verb of a headline, or for that of its triplet.

    Raises:
        BadInput: where there is no such verb, or it stands there twice.
    """
    analysis = pipeline.analyze(text, kind="headline", tasks=("syntax", "relations"))
    _, parses = sentence_parses(analysis)
    sentence, at = find_verb(parses, verb or focus_verb(analysis))
    return silver_candidates(
        parses[sentence].words,
        at,
        filler,
        pipeline,
        pipeline.detector,
        threshold=pipeline.thresholds[1],
        focus_verb_may_stay=may_stay,
    )


def write_masked(found: Sequence[SilverCandidates], form: str) -> None:
    """Print candidates: JSON, one line per headline, has the columns of the release."""
    for own in found:
        if form != "text":
            click.echo(msgspec.json.encode(asdict(own)).decode())
            continue
        click.echo(own.headline)
        click.echo(f"  {own.focus_verb}" + (f": {own.reason}" if own.reason else ""))
        click.echo(f"    literal       {', '.join(own.literal_cands)}")
        click.echo(f"    metaphorical  {', '.join(own.metaphorical_cands)}")
        drops = ", ".join(f"{reason} {count}" for reason, count in own.dropped.items() if count)
        click.echo(f"    dropped of {len(own.candidates)}: {drops or 'none'}")
