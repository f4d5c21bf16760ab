"""`trope rewrite --model NAME`: the NewsMet paper's candidates, with a masked language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
import msgspec

from trope.core.errors import BadInput
from trope.core.records import Analysis
from trope.pipeline import Pipeline
from trope.tasks.rewriting.masked_lm import Filler, MaskedModel, SilverCandidates, silver_candidates
from trope.tasks.rewriting.rewriter import find_verb
from trope.tasks.rewriting.texts import sentence_parses


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
