"""Figures on the gold words of treebanks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from trope.core.errors import BadInput
from trope.core.files import sha256
from trope.corpora.conllu import ConlluSentence, read_conllu
from trope.evaluate.options import EvaluationOptions, Reader
from trope.metrics.figures import DataRef, Figure, share_figures
from trope.metrics.parsing import SHARES, chain_parse, score_parse

# the control beside each score, named for what `chain_parse` does about it
_CONTROLS = {
    "upos": "constant",
    "uas": "right_branching",
    "las": "right_branching",
    "las_full": "right_branching",
    "obj_f": "right_branching",
    "lemma": "form",
}
_CONTROL_NOTE = "every word a NOUN, object of the word before it, its own lemma"


@dataclass(frozen=True, slots=True)
class Treebank:
    """A test file and the scores that its annotation allows."""

    name: str
    file: str
    scores: tuple[str, ...]


TREEBANKS = {
    treebank.name: treebank
    for treebank in (
        Treebank(
            "ewt",
            "ewt/en_ewt-ud-test.conllu",
            ("upos", "uas", "las", "obj_f", "lemma", "las_full"),
        ),
        # one tree a tweet; these files know no subtypes of relations
        Treebank(
            "tweebank", "tweebank/en-ud-tweet-test.fixed.conllu", ("upos", "uas", "las", "obj_f")
        ),
        Treebank("gum", "gum/en_gum-ud-test.conllu", ("upos", "uas", "las", "obj_f", "las_full")),
    )
}


def read_treebank(data: Path, treebank: Treebank) -> tuple[list[ConlluSentence], DataRef]:
    """The test sentences of a treebank and what to sign the figures with."""
    path = data / treebank.file
    sentences = list(read_conllu(path, single_root=True))
    return sentences, DataRef(name=treebank.name, split="test", sha256=sha256(path))


def evaluate_treebank(
    treebank: Treebank, reader: Reader, options: EvaluationOptions
) -> list[Figure]:
    """The treebank's scores on its gold words, each followed by its control."""
    sentences, data = read_treebank(options.data, treebank)
    words = [[word.form for word in sentence.words] for sentence in sentences]
    parses = reader.parse(words)
    if len(parses) != len(sentences):
        raise BadInput(f"{len(sentences)} sentences were given but {len(parses)} parses came back")
    prefix = f"syntax.{treebank.name}.test"
    shares = {name: SHARES[name] for name in treebank.scores}
    counts = [score_parse(s.words, parse) for s, parse in zip(sentences, parses, strict=True)]
    blind = [score_parse(s.words, chain_parse(w)) for s, w in zip(sentences, words, strict=True)]
    ours = share_figures(prefix, counts, shares, data=data, seed=options.seed)
    controls = share_figures(
        prefix, blind, shares, data=data, seed=options.seed, note=_CONTROL_NOTE
    )
    figures: list[Figure] = []
    for name, figure, control in zip(shares, ours, controls, strict=True):
        renamed = msgspec.structs.replace(control, name=f"{control.name}.{_CONTROLS[name]}")
        figures += [figure, renamed]
    return figures
