"""What is shown of an analysis: metaphors by a view of words, metonymic names, and the rest.

MIPVU marks function words too, a third of all its metaphors. Readers look for less, so there are
three views of words; `noticed` is the default.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.metadata import entry_points
from math import cbrt
from pathlib import Path
from typing import NamedTuple, Protocol

from trope.core.errors import BadInput
from trope.core.files import read_text
from trope.core.options import FigureView
from trope.core.records import (
    Analysis,
    Figure,
    FigureKind,
    FigureThresholds,
    Parse,
    Token,
    WordView,
)
from trope.encoder.session import Encoder
from trope.lexicon.readings import LITERAL, readings
from trope.lexicon.wordnet import PARTS, read_wordnet
from trope.tasks.figures.idioms import THRESHOLD as IDIOM_THRESHOLD
from trope.tasks.figures.idioms import find_idioms
from trope.tasks.figures.similes import THRESHOLD as SIMILE_THRESHOLD
from trope.tasks.figures.similes import find_similes

CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV"})
"""Word classes of content words."""

_RULES = FigureThresholds(noticed=0.5, idiom=IDIOM_THRESHOLD, simile=SIMILE_THRESHOLD)
"""Where the model has no heads for figures."""

_PARTICLE = "compound:prt"
_PLACES = 4
_ONCE = ("idiom", "simile", "metonymy")
"""Figures whose words are not listed again as metaphors."""


def add_figures(
    analyses: Sequence[Analysis],
    parses: Sequence[Sequence[Parse]],
    view: FigureView,
    thresholds: FigureThresholds | None,
) -> list[Analysis]:
    """The same analyses with their figures: idioms and similes, which are found in the parses of
    their sentences, and names and metaphors as the view shows them."""
    found = []
    for bare, own in zip(analyses, parses, strict=True):
        whole = add_spans(bare, own, thresholds) if "metaphor" in bare.tasks else bare
        found.append(show_figures(whole, view, thresholds))
    return found


def show_figures(
    analysis: Analysis, view: FigureView, thresholds: FigureThresholds | None
) -> Analysis:
    """The same analysis with the figures of a view; idioms, similes and irony stay as they are.

    Where the model does not know what readers notice (`thresholds` is None), the view `noticed`
    shows the content words that are metaphors more surely than MIPVU asks. A given threshold counts
    for the view, and for `content` and `all`, which show probabilities of MIPVU, as the threshold
    of the analysis too.
    """
    words, limit, kept = _shown(analysis, view, thresholds)
    asked = words != "noticed" and (view.words != "noticed" or view.threshold is not None)
    threshold = limit if asked else analysis.threshold
    shown = tuple(sorted(kept, key=lambda f: (f.start, f.end, f.kind)))
    return replace(analysis, threshold=threshold, words=words, shown_threshold=limit, figures=shown)


def shown_places(
    analysis: Analysis, view: FigureView, thresholds: FigureThresholds | None
) -> frozenset[int]:
    """The positions of the words that a view shows as metaphors."""
    _, _, shown = _shown(analysis, view, thresholds)
    return frozenset(at for own in shown if own.kind == "metaphor" for at in own.tokens)


def _shown(
    analysis: Analysis, view: FigureView, thresholds: FigureThresholds | None
) -> tuple[WordView, float, list[Figure]]:
    """The words that are shown as metaphors, their threshold, and all figures."""
    words, limit = view.lowest(analysis.threshold, thresholds.noticed if thresholds else None)
    kept = [f for f in analysis.figures if f.kind not in ("metaphor", "metonymy")]
    kept += _metonymies(analysis)
    if "metaphor" in analysis.tasks:
        kept += _metaphors(analysis.tokens, words, limit, _taken(kept))
    return words, limit, kept


def add_spans(
    analysis: Analysis, parses: Sequence[Parse], thresholds: FigureThresholds | None
) -> Analysis:
    """The same analysis with the idioms and similes of its sentences, which have trees.

    The heads of a model decide where it has them, the lexicon and the tree elsewhere.
    """
    found: list[Figure] = []
    first = 0
    for parse in parses:
        if parse.heads and parse.lemmas:
            places = range(first, first + len(parse))
            own = _spans(parse, analysis.tokens[first : places.stop], thresholds)
            found += [move_figure(figure, places.__getitem__) for figure in own]
        first += len(parse)
    figures = (*(f for f in analysis.figures if f.kind not in ("idiom", "simile")), *found)
    return replace(analysis, figures=figures) if figures != analysis.figures else analysis


def _spans(
    parse: Parse, tokens: Sequence[Token], thresholds: FigureThresholds | None
) -> Iterator[Figure]:
    """The idioms and similes of a sentence, whose tokens are counted within it.

    What is both, as "clear as a bell", is a simile that has a meaning.
    """
    limits = thresholds or _RULES
    idioms = find_idioms(parse, parse.idiom, threshold=limits.idiom)
    similes = find_similes(parse, parse.simile, threshold=limits.simile)
    taken: set[int] = set()
    for simile in similes:
        meanings = [one.entry.meaning for one in idioms if {*one.tokens} <= {*simile.tokens}]
        taken.update(simile.tokens)
        yield replace(
            _figure(tokens, "simile", simile.tokens, round(simile.score, _PLACES)),
            topic=simile.topic,
            vehicle=simile.vehicle,
            ground=simile.ground,
            meaning=next(filter(None, meanings), ""),
        )
    for idiom in idioms:
        if not {*idiom.tokens} <= taken:
            found = _figure(tokens, "idiom", idiom.tokens, round(idiom.score, _PLACES))
            yield replace(found, meaning=idiom.entry.meaning)


def shown_score(token: Token, words: WordView) -> float | None:
    """The score of a word in a view, None where it has none.

    In the view `noticed` it is `noticeable`, in the others the probability that the word is a
    metaphor by the rules of MIPVU.
    """
    if words == "noticed":
        if token.metaphor is None or token.noticed is None:
            return None
        return round(noticeable(token.metaphor, token.noticed), _PLACES)
    return token.metaphor


def noticeable(metaphor: float, noticed: float) -> float:
    """How noticeable a word is as a metaphor.

    It is a geometric mean of two probabilities: that readers notice the word as a metaphor, which
    counts twice, and that it is one by the rules of MIPVU. The mean served both conventions better
    than either alone; people also notice new metaphors to which those rules were not applied.
    """
    return cbrt(metaphor * noticed**2)


def is_content(token: Token) -> bool:
    """Whether a token is a noun, verb, adjective or adverb, but no auxiliary and no particle."""
    relation = token.deprel
    return token.upos in CONTENT and not (
        relation in ("cop", _PARTICLE) or relation.partition(":")[0] == "aux"
    )


def _metaphors(
    tokens: Sequence[Token], words: WordView, limit: float, taken: frozenset[int]
) -> Iterator[Figure]:
    """The metaphors of the view: words by themselves, and verbs with their particles."""
    particles = {} if words == "all" else _particles(tokens)
    for place, token in enumerate(tokens):
        hidden = words != "all" and (place in taken or not is_content(token))
        score = None if hidden else shown_score(token, words)
        if score is None or score < limit:
            continue
        places = tuple(sorted((place, *particles.get(place, ()))))
        start, end = tokens[places[0]].start, tokens[places[-1]].end
        yield Figure("metaphor", start, end, places, score, token.novelty)


def _particles(tokens: Sequence[Token]) -> dict[int, list[int]]:
    """The particles of each verb that has any."""
    found: dict[int, list[int]] = {}
    for place, token in enumerate(tokens):
        if token.deprel == _PARTICLE:
            found.setdefault(token.head, []).append(place)
    return found


def _metonymies(analysis: Analysis) -> Iterator[Figure]:
    """The names that stand for something else."""
    for name in analysis.metonymies:
        if readings(name.name_class)[name.reading].coarse == LITERAL:
            continue
        places = tuple(
            at
            for at, token in enumerate(analysis.tokens)
            if token.start < name.end and name.start < token.end
        )
        yield Figure(
            "metonymy", name.start, name.end, places, name.score, stands_for=name.stands_for
        )


def _taken(figures: list[Figure]) -> frozenset[int]:
    """The words that other figures show: of idioms and names all, of similes the vehicle."""
    return frozenset(
        place
        for figure in figures
        if figure.kind in _ONCE
        for place in (figure.vehicle if figure.kind == "simile" else figure.tokens)
    )


def move_figure(figure: Figure, position: Callable[[int], int]) -> Figure:
    """The same figure where its tokens have other positions."""

    def moved(places: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(map(position, places))

    return replace(
        figure,
        tokens=moved(figure.tokens),
        topic=moved(figure.topic),
        vehicle=moved(figure.vehicle),
        ground=moved(figure.ground),
    )


def _figure(
    tokens: Sequence[Token], kind: FigureKind, places: tuple[int, ...], score: float
) -> Figure:
    """A figure of the tokens at these positions, in the order of the text; as new as the newest
    of its content words."""
    first, last = tokens[places[0]], tokens[places[-1]]
    own = [tokens[at] for at in places if is_content(tokens[at])]
    novelty = max((t.novelty for t in own if t.novelty is not None), default=None)
    return Figure(kind, first.start, last.end, places, score, novelty)


_DOMAINS = Path(__file__).parents[2] / "lexicon" / "domains.toml"
_SENSES = 4
_LATER_SENSE, _STEP_UP, _OTHER_PART, _CLASS = 0.7, 0.9, 0.5, 0.5
"""How much less a class counts for a later sense, a step up, another part of speech, and than a
word that is listed."""


DOMAIN_SYSTEMS = "trope.domains"
"""The entry points of installed systems for domains."""


@dataclass(frozen=True, slots=True)
class DomainSpan:
    """Words whose source domain is asked for: `places` among all the tokens of a text, within the
    sentence that is its tokens `first` to `last`."""

    tokens: Sequence[Token]
    first: int
    last: int
    places: tuple[int, ...]

    @property
    def content(self) -> tuple[int, ...]:
        """The places of its content words, or of all its words if none is one."""
        return tuple(at for at in self.places if self.tokens[at].upos in CONTENT) or self.places


class SourceDomain(NamedTuple):
    """One of 26 broad groups and, from systems that know them, one of about a hundred concepts."""

    group: str
    concept: str = ""


class DomainSystem(Protocol):
    """What names the source domains of metaphors."""

    name: str
    sha256: str

    def label(self, spans: Sequence[DomainSpan]) -> list[SourceDomain]:
        """The domain of each span; an empty one where nothing speaks for any."""


class FreeDomains:
    """Lists of words and classes of WordNet, which ship with trope."""

    name = "free"
    sha256 = ""

    def label(self, spans: Sequence[DomainSpan]) -> list[SourceDomain]:
        """The group for whose lists and classes most speaks; no concepts."""
        return [SourceDomain(_best_group(span)) for span in spans]


def open_domains(encoder: Encoder, folder: Path | None = None) -> DomainSystem:
    """The system that is installed (`trope-domains`), or else the one that ships.

    Args:
        encoder: gives vectors of words in context.
        folder: the folder of weights to use instead of those that are installed.

    Raises:
        BadInput: for a folder without an installed system that can read it.
    """
    for found in sorted(entry_points(group=DOMAIN_SYSTEMS), key=lambda one: one.name):
        system: DomainSystem = found.load()(encoder, folder)
        return system
    if folder is not None:
        raise BadInput(f"{folder}: trope-domains, which reads such weights, is not installed")
    return FreeDomains()


def add_domains(analyses: Sequence[Analysis], system: DomainSystem) -> list[Analysis]:
    """The same analyses with the source domains of their metaphors, where their words have one."""
    spans = [
        span
        for analysis in analyses
        for figure in analysis.figures
        if figure.kind == "metaphor"
        for span in [domain_span(analysis, figure.tokens)]
    ]
    labels = iter(system.label(spans) if spans else ())
    return [
        replace(
            analysis,
            figures=tuple(
                replace(own, domain=next(labels).group) if own.kind == "metaphor" else own
                for own in analysis.figures
            ),
        )
        for analysis in analyses
    ]


def domain_span(analysis: Analysis, places: tuple[int, ...]) -> DomainSpan:
    """Some tokens of a text with the sentence of the first of them."""
    for sentence in analysis.sentences:
        if sentence.first <= places[0] < sentence.last:
            within = tuple(at for at in places if at < sentence.last)
            return DomainSpan(analysis.tokens, sentence.first, sentence.last, within)
    return DomainSpan(analysis.tokens, places[0], places[-1] + 1, places)


def _best_group(span: DomainSpan) -> str:
    scores: dict[str, float] = {}
    for token in (span.tokens[at] for at in span.content):
        for domain, score in domain_scores(token.lemma.lower(), token.upos).items():
            scores[domain] = scores.get(domain, 0.0) + score
    return max(sorted(scores), key=scores.__getitem__, default="")


@lru_cache(maxsize=50_000)  # a corpus never stops bringing new words
def domain_scores(lemma: str, upos: str) -> dict[str, float]:
    """How much speaks for each domain: its list of words, and the classes above the senses."""
    words, synsets = _domains()
    listed = words.get(lemma, [])
    scores = {domain: 1 / len(listed) for domain in listed}
    for tag in PARTS:
        net, weight = read_wordnet(tag), _CLASS * (1 if tag == upos else _OTHER_PART)
        for sense, number in enumerate(net.senses(lemma)[:_SENSES]):
            above = net.distances_above(number)
            near = [(steps, at) for at, steps in above.items() if (tag, at) in synsets]
            if near:
                steps, at = min(near)
                more = weight * _LATER_SENSE**sense * _STEP_UP**steps
                scores[synsets[tag, at]] = scores.get(synsets[tag, at], 0.0) + more
    return scores


@cache
def _domains() -> tuple[dict[str, list[str]], dict[tuple[str, int], str]]:
    """The domains of words, and the domain of each class with its part of speech."""
    words: dict[str, list[str]] = {}
    named: dict[str, str] = {}
    for domain, entry in tomllib.loads(read_text(_DOMAINS)).items():
        for word in sorted({*entry["words"], *entry["frame_words"]}):
            words.setdefault(word, []).append(domain)
        named |= dict.fromkeys(entry["synsets"], domain)
    classes = {
        (tag, synset.number): named[synset.name]
        for tag in PARTS
        for synset in read_wordnet(tag).synsets
        if synset.name in named
    }
    return words, classes
