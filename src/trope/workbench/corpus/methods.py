"""The paragraph on methods that a paper needs, from the manifest and the facts of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trope.corpora.metadata import load_corpora
from trope.encoder.models import RecordedQuality
from trope.metrics.intervals import Interval
from trope.tasks.figures.views import FreeDomains
from trope.tasks.metaphor.corpus_rates import VIEW_NAMES
from trope.workbench.corpus.corpus import IndexedCorpus, own_threshold, shipped_model
from trope.workbench.corpus.queries import RatesQuery
from trope.workbench.corpus.views import rates

_CITED = "vua18"
_OWN = "The trope authors. trope: figurative language in Python (version {version})."
_LISTS = (
    "Fellbaum, ed. (1998), WordNet: An Electronic Lexical Database, MIT Press.",
    "Dodge, Hong and Stickles (2015), MetaNet: Deep semantic automatic metaphor analysis, Third "
    "Workshop on Metaphor in NLP.",
)
_NOT_ALL = (
    "The particle of a verb counts with the verb; words of idioms, of the vehicles of similes and "
    "of metonymic names are not counted."
)
ADVICE = (
    "your texts may be read better or worse than that test split; judge a sample, and report the "
    "corrected rate: trope query FOLDER rates --judged PROJECT"
)


@dataclass(frozen=True, slots=True)
class MethodsText:
    """The paragraph, what it states as data, and what to cite."""

    paragraph: str
    facts: dict[str, Any]
    references: tuple[str, ...]

    def to_text(self) -> str:
        """The paragraph and the references as text."""
        listed = "\n".join(f"- {one}" for one in self.references)
        return f"{self.paragraph}\n\nReferences\n{listed}\n"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"paragraph": self.paragraph, **self.facts, "references": list(self.references)}


def methods_text(corpus: IndexedCorpus) -> MethodsText:
    """What to write about how the metaphors of a corpus were found."""
    settings, facts = corpus.source.manifest.settings, corpus.facts
    everything = rates(corpus, RatesQuery(rows=1)).about["all"]
    rate = Interval(everything["rate"], everything["low"], everything["high"])
    noticed = facts.word_view == "noticed"
    counted = VIEW_NAMES["content" if noticed else facts.word_view]
    marked = "expects readers to notice," if noticed else "marks"
    threshold, lowest = corpus.threshold, _lowest_score(corpus)
    measured = _quality(settings.tier, settings.model_sha256)
    tested = own_threshold(settings.tier, settings.model_sha256, "all")
    sentences = [
        f"We identified metaphors with trope {settings.trope} (model {settings.tier}, SHA-256 "
        f"{settings.model_sha256[:12]}).",
        f"Of a text's {counted}, those count as metaphors that the model {marked}"
        + _threshold(threshold, lowest),
        *([] if facts.word_view == "all" else [_NOT_ALL]),
        f"The corpus has {_counted(facts.texts, 'text')}, {_counted(facts.sentences, 'sentence')} "
        f"and {_counted(facts.words, 'word')}, of which "
        f"{facts.metaphors:,} {'is a metaphor' if facts.metaphors == 1 else 'are metaphors'}"
        + _rate_in_words(rate),
        *([_measured_sentence(measured, tested)] if measured else []),
        *([_domains_sentence(settings.domains)] if settings.domains else []),
    ]
    stated = {
        "trope": settings.trope,
        "model": {"tier": settings.tier, "sha256": settings.model_sha256},
        "word_view": facts.word_view,
        "threshold": threshold,
        "lowest_score": lowest,
        "counts": {
            name: getattr(facts, name) for name in ("texts", "sentences", "words", "metaphors")
        },
        "rate": {"value": rate.value, "low": rate.low, "high": rate.high},
        "quality": {
            name: {"value": one.value, "low": one.low, "high": one.high, "n": one.n}
            for name, one in measured.items()
        },
        "quality_threshold": tested if measured else None,
    }
    cited = [load_corpora()[_CITED].citation] if measured else []
    cited += _LISTS if settings.domains == FreeDomains.name else ()
    references = (_OWN.format(version=settings.trope), *cited)
    return MethodsText(" ".join(sentences), stated, references)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _rate_in_words(rate: Interval) -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return "."
    shares = [f"{100 * share:.1f}" for share in (rate.value, rate.low, rate.high)]
    return " ({} %, 95 % interval {} to {}, with texts as units).".format(*shares)


def _lowest_score(corpus: IndexedCorpus) -> float | None:
    """The lowest score of a metaphor; thresholds of the model depend on the view of words."""
    if not corpus.source.tokens:
        return None
    (lowest,) = corpus.database.one("SELECT min(score) FROM words WHERE word AND metaphor")
    return None if lowest is None else float(lowest)


def _threshold(threshold: float | None, lowest: float | None) -> str:
    if threshold is not None:
        return f" with a score of at least {threshold:g}."
    return "." if lowest is None else f"; their lowest score is {lowest:.3f}."


def _quality(tier: str, checksum: str) -> dict[str, RecordedQuality]:
    """What was measured of the model, if it is one that ships with trope."""
    model = shipped_model(tier, checksum)
    return {one.figure.rpartition(".")[2]: one for one in model.quality} if model else {}


def _measured_sentence(measured: dict[str, RecordedQuality], threshold: float | None) -> str:
    f1, precision, recall = (
        f"{one.value:.2f} ({interval}{one.low:.2f} to {one.high:.2f})"
        for name, interval in (("f1", "95 % interval "), ("precision", ""), ("recall", ""))
        for one in [measured[name]]
    )
    above = _threshold(threshold, None).rstrip(".")
    return (
        f"On the test split of the VU Amsterdam Metaphor Corpus ({measured['f1'].n:,} words), "
        f"where words of every class count{above}, the model has an F1 of {f1}, a precision of "
        f"{precision} and a recall of {recall}."
    )


def _domains_sentence(system: str) -> str:
    if system == FreeDomains.name:
        return "Source domains were named by lists made of WordNet and MetaNet."
    return f"Source domains were named by networks ({system})."
