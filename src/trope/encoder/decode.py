"""From scores to decisions: tags, lemmas, one well-formed tree per sentence.

The model chooses lemmas as edit rules: how many letters go at the end, what comes instead, which
case stays. A rule is text, for example "lower|3|y" (tries → try) or "lower|=|be" (was → be), so
that a list of rules can be stored, read and reviewed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import lru_cache
from time import thread_time

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.core.records import ROOT, Parse
from trope.encoder.session import (
    FIGURE_OUTPUTS,
    MEANING,
    METONYMY,
    SENTIMENT,
    SENTIMENT_OUTPUTS,
    TAGS,
    AnyEncoder,
    Array,
    BatchPass,
    Encoder,
)
from trope.encoder.session import passes as run_passes
from trope.encoder.trees import best_heads
from trope.encoder.windows import Window

Floats = npt.NDArray[np.float64]
_SCORE, _VALENCE = (SENTIMENT_OUTPUTS.index(name) for name in ("score", "valence"))


class SentimentScores:
    """Sentiment of many sequences, collected batch by batch, in any order.

    The score of a sequence is that of its windows, averaged by the words of each.
    """

    def __init__(self, sequences: int) -> None:
        self._sums: list[Floats | None] = [None] * sequences
        self._words = [0] * sequences

    def add(self, done: BatchPass) -> None:
        """Add the scores of one batch; nothing if the pass was not asked for them."""
        scores = done.outputs.get("sentiment")
        if scores is None:
            return
        for row, window in enumerate(done.windows):
            words, at = window.core_last - window.core_first, window.sentence
            own, before = scores[row].astype(np.float64) * words, self._sums[at]
            self._sums[at] = own if before is None else before + own
            self._words[at] += words

    def scores(self) -> list[float]:
        """One number per sequence on the scale of tweets, near -5 to 5 but not clipped to it."""
        return [float(mean[_SCORE]) for mean in self._means()]

    def valences(self) -> list[float | None]:
        """The same on the scale of prose, None where the model does not have it."""
        return [float(m[_VALENCE]) if len(m) > _VALENCE else None for m in self._means()]

    def _means(self) -> Iterator[Floats]:
        for total, words in zip(self._sums, self._words, strict=True):
            assert total is not None  # every sequence has a window
            yield total / words


def word_meanings(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> list[Array]:
    """The vectors of each sentence's words (of at least one), one row per word.

    Raises:
        BadInput: where the model has no such head.
    """
    if not encoder.labels.meaning:
        raise BadInput("this model has no head for meaning; use the one that ships")
    found = [np.zeros((len(s), encoder.labels.meaning), dtype=np.float32) for s in sentences]
    for future in encoder.submit(sentences, MEANING):
        done = future.result()
        for row, window in enumerate(done.windows):
            core = slice(window.core_first - window.first, window.core_last - window.first)
            vectors = done.outputs["meaning"][row, core]
            found[window.sentence][window.core_first : window.core_last] = vectors
    return found


Ints = npt.NDArray[np.int64]
Lemmatise = Callable[[str, str, str], str | None]
"""The base form of a word, its part of speech and its fine tag, or None where the model decides."""
_JOIN = "parataxis"
"""How the stretches of an overlong sentence hang together, as in Tweebank."""
_PLACES = 4
"""Decimal places of a probability: what is shown is what is compared with a threshold."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Decisions on the core words of one window, heads counted in the sentence.

    Lists are empty, and `figurative` is None, where the pass was not asked for them.
    """

    first: int
    upos: list[int] = field(default_factory=list)
    xpos: list[int] = field(default_factory=list)
    lemma: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    deprels: list[int] = field(default_factory=list)
    metaphor: list[float] = field(default_factory=list)
    figurative: float | None = None
    figures: list[list[float]] = field(default_factory=list)
    names: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """What was read from a batch: decisions by sentence, and scores to be decided on later.

    With the seconds of computing and of reading.
    """

    stretches: list[tuple[int, Stretch]]
    whole: BatchPass
    computing: float
    reading: float


@dataclass(frozen=True, slots=True)
class ReadSentences:
    """Sentences with their parses, and the scores to be decided on later."""

    words: list[tuple[str, ...]]
    parses: list[Parse]
    later: list[BatchPass]


def read_scores(done: BatchPass, encoder: AnyEncoder) -> ReadBatch:
    """The decisions on a batch, without most of its scores."""
    began = thread_time()
    found = list(_read_windows(done, encoder))
    later = (*SENTIMENT, *METONYMY)
    kept = {name: done.outputs[name] for name in later if name in done.outputs}
    whole = BatchPass(done.windows, kept, done.seconds)
    return ReadBatch(found, whole, done.seconds, thread_time() - began)


def read_results(
    pending: deque[Future[ReadBatch]], timings: dict[str, float], later: list[BatchPass]
) -> Iterator[ReadBatch]:
    """What was read from each batch, as it ends; its seconds are added to `timings`, its scores to
    be decided on later to `later`."""
    while pending:
        batch = pending.popleft().result()
        timings["encoder"] += batch.computing
        timings["decode"] += batch.reading
        later.append(batch.whole)
        yield batch


def _model_decides(form: str, upos: str, xpos: str) -> None:
    """None: every lemma is the model's."""


def decode(
    sentences: Sequence[tuple[str, ...]],
    batches: Iterable[ReadBatch],
    encoder: AnyEncoder,
    lemmatise: Lemmatise = _model_decides,
) -> list[Parse]:
    """The parses of the sentences from batches in any order, in the order of the sentences."""
    stretches: list[list[Stretch]] = [[] for _ in sentences]
    scores = SentimentScores(len(sentences))
    scored = False
    for batch in batches:
        for sentence, stretch in batch.stretches:
            stretches[sentence].append(stretch)
        scores.add(batch.whole)
        scored = scored or "sentiment" in batch.whole.outputs
    parses = [
        join_stretches(words, sorted(parts, key=lambda s: s.first), encoder, lemmatise)
        for words, parts in zip(sentences, stretches, strict=True)
    ]
    if not scored:
        return parses
    rows = zip(parses, scores.scores(), scores.valences(), strict=True)
    return [replace(parse, sentiment=score, valence=valence) for parse, score, valence in rows]


def decode_scores(sequences: int, passes: Iterable[BatchPass]) -> SentimentScores:
    """The sentiment of whole sequences, as many as were sent."""
    scores = SentimentScores(sequences)
    for done in passes:
        scores.add(done)
    return scores


def read_words(
    encoder: AnyEncoder,
    sentences: Sequence[Sequence[str]],
    outputs: Sequence[str],
    later: list[BatchPass] | None = None,
) -> list[Parse]:
    """Sentences (of at least one word) with what is asked for and nothing else.

    Scores to be decided on later are added to `later`.
    """
    words = [tuple(sentence) for sentence in sentences]
    read = [read_scores(done, encoder) for done in run_passes(encoder, words, outputs)]
    if later is not None:
        later += [batch.whole for batch in read]
    return decode(words, read, encoder)


def _read_windows(done: BatchPass, encoder: AnyEncoder) -> Iterator[tuple[int, Stretch]]:
    """The decisions on each window of a batch with the number of its sentence."""
    tags = {name: _chosen(done.outputs[name]) for name in TAGS if name in done.outputs}
    heads: list[list[int]] = [[] for _ in done.windows]
    labels = heads
    if "arcs" in done.outputs:
        assert isinstance(encoder, Encoder)  # the tier `base` makes no trees
        heads = [_window_heads(done.outputs["arcs"][row], w) for row, w in enumerate(done.windows)]
        labels = _labels(done, heads, encoder)
    words, sentences = (_probabilities(done, name) for name in ("metaphor", "figurative"))
    figures = _figure_scores(done)
    names = done.outputs["names"].argmax(-1) if "names" in done.outputs else None
    for row, window in enumerate(done.windows):
        core = slice(window.core_first - window.first, window.core_last - window.first)
        yield (
            window.sentence,
            Stretch(
                first=window.core_first,
                **{name: chosen[row, core].tolist() for name, chosen in tags.items()},
                heads=[h if h == ROOT else h + window.core_first for h in heads[row]],
                deprels=labels[row],
                metaphor=[] if words is None else words[row, core].tolist(),
                figurative=None if sentences is None else sentences[row].item(),
                figures=[] if figures is None else figures[row, core].tolist(),
                names=[] if names is None else names[row, core].tolist(),
            ),
        )


def _chosen(scores: Array) -> Array | Ints:
    """[window, word]: the label with the highest score, which a card may have chosen already."""
    return scores if scores.ndim == 2 else scores.argmax(-1)


def _figure_scores(done: BatchPass) -> npt.NDArray[np.float64] | None:
    """[window, word, figure]: rounded probabilities, and novelty between 0 and 1."""
    shares = _probabilities(done, "figures")
    if shares is not None:
        place = FIGURE_OUTPUTS.index("novelty")
        novelty = done.outputs["figures"][..., place].astype(np.float64)
        shares[..., place] = np.round(np.clip(novelty, 0, 1), _PLACES)
    return shares


def _probabilities(done: BatchPass, name: str) -> npt.NDArray[np.float64] | None:
    """The logits of an output as rounded probabilities, None where it was not asked for."""
    logits = done.outputs.get(name)
    if logits is None:
        return None
    half = np.tanh(logits.astype(np.float64) / 2)  # the logistic function, without its overflow
    return np.round((1 + half) / 2, _PLACES)


def _window_heads(arcs: npt.NDArray[np.float32], window: Window) -> list[int]:
    """Heads of the core words among the core words: a tree of its own."""
    low, high = window.core_first - window.first, window.core_last - window.first
    scores = arcs[low:high]
    if low:
        scores = np.concatenate([scores[:, :1], scores[:, low + 1 : high + 1]], axis=1)
    return best_heads(scores[:, : high - low + 1])


def _labels(done: BatchPass, heads: list[list[int]], encoder: Encoder) -> list[list[int]]:
    """The relation of every core word to its head, for the whole batch in one product."""
    rows: list[int] = []
    words: list[int] = []
    governors: list[int] = []
    for row, (window, chosen) in enumerate(zip(done.windows, heads, strict=True)):
        low = window.core_first - window.first
        rows += [row] * len(chosen)
        words += range(low, low + len(chosen))
        governors += [0 if head == ROOT else head + low + 1 for head in chosen]
    row_of, word_of, governor_of = np.asarray(rows), np.asarray(words), np.asarray(governors)
    scores = encoder.label_arcs(
        done.outputs["label_dependents"][row_of, word_of],
        done.outputs["label_heads"][row_of, governor_of],
    )
    # a tree has one root, and nothing else is called so
    at_root = governor_of == 0
    root = encoder.labels.deprels.index("root")
    scores[~at_root, root] = -np.inf
    best: Ints = scores.argmax(-1)
    best[at_root] = root
    ends = np.cumsum([len(chosen) for chosen in heads])
    return [part.tolist() for part in np.split(best, ends[:-1])]


def join_stretches(
    words: tuple[str, ...],
    stretches: list[Stretch],
    encoder: AnyEncoder,
    lemmatise: Lemmatise = _model_decides,
) -> Parse:
    """One parse of a sentence's stretches; the roots of later ones hang from the first root."""
    labels = encoder.labels
    upos: list[str] = []
    xpos: list[str] = []
    rules: list[str] = []
    heads: list[int] = []
    deprels: list[str] = []
    metaphor: list[float] = []
    names: list[str] = []
    for stretch in stretches:
        metaphor += stretch.metaphor
        names += [labels.names[tag] for tag in stretch.names]
        upos += [labels.upos[tag] for tag in stretch.upos]
        xpos += [labels.xpos[tag] for tag in stretch.xpos]
        rules += [labels.lemma_rules[rule] for rule in stretch.lemma]
        relations = [labels.deprels[label] for label in stretch.deprels]
        if heads:
            top = stretch.heads.index(ROOT)
            stretch.heads[top], relations[top] = heads.index(ROOT), _JOIN
        heads += stretch.heads
        deprels += relations
    # the model chooses rules without seeing the spelling: they apply where spelling does not decide
    lemmas = tuple(
        lemmatise(word, pos, tag) or apply_rule(rule, word)
        for word, pos, tag, rule in zip(words if upos else (), upos, xpos, rules, strict=True)
    )
    # a sentence is as metaphorical as the most metaphorical of its stretches
    scores = [stretch.figurative for stretch in stretches if stretch.figurative is not None]
    figures = _by_figure([row for stretch in stretches for row in stretch.figures])
    return Parse(
        words,
        tuple(upos),
        tuple(xpos),
        lemmas,
        tuple(heads),
        tuple(deprels),
        tuple(metaphor),
        max(scores, default=None),
        noticed=figures.get("noticed", ()),
        idiom=figures.get("idiom", ()),
        simile=figures.get("simile", ()),
        novelty=figures.get("novelty", ()),
        names=tuple(names),
    )


def _by_figure(rows: list[list[float]]) -> dict[str, tuple[float, ...]]:
    """The scores of all words by the figure that they are about."""
    return dict(zip(FIGURE_OUTPUTS, zip(*rows, strict=True), strict=True)) if rows else {}


def make_rule(form: str, lemma: str) -> str:
    """The rule that turns this form into this lemma."""
    keep = lemma != lemma.lower()
    source = form if keep else form.lower()
    case = "keep" if keep else "lower"
    shared = 0
    while shared < min(len(source), len(lemma)) and source[shared] == lemma[shared]:
        shared += 1
    # a lemma that shares nothing, or almost nothing, with its form is irregular: name it whole
    if shared == 0 or (shared == 1 and len(source) > 3):
        return f"{case}|=|{lemma}"
    return f"{case}|{len(source) - shared}|{lemma[shared:]}"


@lru_cache(maxsize=100_000)
def apply_rule(rule: str, form: str) -> str:
    """The lemma of a form; a rule that does not fit leaves the form (in the rule's case)."""
    case, cut, ending = rule.split("|", 2)
    if cut == "=":
        return ending
    source = form if case == "keep" else form.lower()
    drop = int(cut)
    if drop >= len(source):
        return source
    return source[: len(source) - drop] + ending
