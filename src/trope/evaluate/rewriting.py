"""`trope evaluate rewriting`: judged candidates, open search, substitution, paraphrases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from trope.core.files import sha256
from trope.corpora.metadata import load_corpora
from trope.corpora.newsmet import read_newsmet
from trope.corpora.substitution import AptPair, SubstitutionTarget, read_munch_pairs, read_swords
from trope.evaluate.options import EvaluationOptions
from trope.evaluate.rewriting_newsmet import evaluate_judged, evaluate_open
from trope.lexicon.inflection import lemma
from trope.metrics.figures import DataRef, Evaluation, Measurement, new_evaluation
from trope.metrics.intervals import bootstrap_ratios
from trope.metrics.ranking import ACCEPTABLE, CONCEIVABLE, target_counts
from trope.pipeline import Pipeline
from trope.tasks.rewriting.inventory import (
    WordInventory,
    lemma_vector,
    read_inventory,
    static_vectors,
)
from trope.tasks.rewriting.masked_lm import INITIAL, Filler, MaskedModel
from trope.tasks.rewriting.measures import metaphoricity
from trope.tasks.rewriting.ranker import SUBSTITUTION, ranker_file
from trope.tasks.rewriting.task import TREES, TaskParser, WordPlace, places_of
from trope.tasks.rewriting.training_data import JudgedHeadline, judged_headlines, split_munch

CHOSEN_ON = "swords dev, coinco without the files of swords test, semeval2007-lexsub, munch train"
FIRST = 10
OFFERED = 50
"""Words per target: in the lenient setting those that nobody judged are dropped first."""

SETTINGS = {
    "f10_lenient": (ACCEPTABLE, True),
    "f10_strict": (ACCEPTABLE, False),
    "f10_lenient_conceivable": (CONCEIVABLE, True),
    "f10_strict_conceivable": (CONCEIVABLE, False),
}
_TAGS = {"NOUN": "NNS", "VERB": "", "ADJ": "JJ", "ADV": "RB"}


def base_form(word: str, upos: str) -> str:
    """A word as the scorer compares it; several words stay as they are."""
    small = word.lower().strip()
    if " " in small:
        return small
    if upos == "VERB":
        from trope.tasks.rewriting.task import verb_base

        return verb_base(small)
    tag = _TAGS.get(upos, "")
    return lemma(small, upos, tag) or small


def evaluate_swords(pipeline: Pipeline, options: EvaluationOptions) -> list[Measurement]:
    """F at ten on SWORDS test, with embedding neighbours and, if given, a masked model."""
    path = load_corpora()["swords"].find("swords-v1.1_test.json.gz", options.data)
    targets = list(read_swords(path))
    data = DataRef("swords", "test", sha256(path))
    places = places_of(targets, pipeline)
    ranked = pipeline.rewriter.rank_many(places, SUBSTITUTION, top=OFFERED, shortlisted=OFFERED)
    systems = {"": [own.lemmas for own in ranked], ".neighbours": [_nearest(p) for p in places]}
    if options.detector is not None:
        filler = MaskedModel(options.detector)
        systems[".masked_lm"] = [_masked(place, filler, pipeline) for place in places]
    figures = []
    for name, answers in systems.items():
        for setting, (above, lenient) in SETTINGS.items():
            counts = [
                target_counts(
                    [base_form(word, t.upos) for word in own],
                    _judged(t),
                    base_form(t.word, t.upos),
                    above=above,
                    lenient=lenient,
                )
                for t, own in zip(targets, answers, strict=True)
            ]
            parts = [2 * count.right for count in counts]
            wholes = [count.given + count.possible for count in counts]
            interval = bootstrap_ratios(parts, wholes, seed=options.seed)[0]
            figures.append(
                Measurement(f"rewriting.swords.test.{setting}{name}", interval.value, interval.low,
                       interval.high, len(targets), data, "" if name else CHOSEN_ON)
            )  # fmt: skip
    return figures


def _judged(target: SubstitutionTarget) -> dict[str, float]:
    """Base forms and the share of judges who agreed, the larger one where two are the same."""
    found: dict[str, float] = {}
    for substitute in target.substitutes:
        word = base_form(substitute.text, target.upos)
        found[word] = max(substitute.weight, found.get(word, 0.0))
    return found


def _nearest(place: WordPlace) -> tuple[str, ...]:
    inventory = read_inventory(place.upos)
    if not len(inventory):
        return ()
    near = inventory.vectors @ lemma_vector(place.lemma, place.upos)
    return tuple(inventory.lemmas[int(row)] for row in np.argsort(-near)[:OFFERED])


def _masked(place: WordPlace, filler: Filler, parser: TaskParser) -> tuple[str, ...]:
    """NewsMet's candidates for any part of speech: the likeliest fillers that are tagged as it."""
    words = [
        word
        for word in filler.fill(place.parse.words, place.at, INITIAL)
        if any(letter.isalpha() for letter in word)
    ]
    parses = parser.parse([place.with_word(word) for word in words], TREES)
    kept = (w for w, p in zip(words, parses, strict=True) if p.upos[place.at] == place.upos)
    return tuple(dict.fromkeys(base_form(word, place.upos) for word in kept))[:OFFERED]


def evaluate_munch(pipeline: Pipeline, options: EvaluationOptions) -> list[Measurement]:
    """Human paraphrases among the first ten, and apt against inapt ones, in test documents."""
    _, items = split_munch(options.data)
    corpus = load_corpora()["munch"]
    generation = corpus.find("correct_answers/for_generation.csv", options.data)
    judgement = corpus.find("correct_answers/for_judgement.csv", options.data)
    places = dict(zip((item.id for item in items), places_of(items, pipeline), strict=True))
    data = DataRef("munch", "items of VUA test documents", sha256(generation))
    figures = _paraphrases(pipeline, items, [places[i.id] for i in items], data, options.seed)
    pairs = [pair for pair in read_munch_pairs(judgement) if pair.item in places]
    pair_data = DataRef("munch", "pairs of VUA test documents", sha256(judgement))
    return [*figures, *_pairs(pipeline, pairs, places, pair_data, options.seed)]


def _paraphrases(
    pipeline: Pipeline,
    items: Sequence[SubstitutionTarget],
    places: Sequence[WordPlace],
    data: DataRef,
    seed: int,
) -> list[Measurement]:
    ranked = pipeline.rewriter.rank_many(places, SUBSTITUTION, top=FIRST)
    table = []
    for item, place, own in zip(items, places, ranked, strict=True):
        wanted = {base_form(s.text, place.upos) for s in item.substitutes}
        near = [word for word in _nearest(place) if word != place.lemma][:FIRST]
        offers = (own.lemmas, near)
        table.append([float(bool(wanted & {base_form(w, place.upos) for w in words}))
                      for words in offers])  # fmt: skip
    intervals = bootstrap_ratios(table, np.ones_like(table), seed=seed)
    return [
        Measurement(f"rewriting.munch.test.top10{name}", i.value, i.low, i.high, len(items), data,
               "" if name else CHOSEN_ON)
        for name, i in zip(("", ".neighbours"), intervals, strict=True)
    ]  # fmt: skip


def _pairs(
    pipeline: Pipeline,
    pairs: Sequence[AptPair],
    places: dict[str, WordPlace],
    data: DataRef,
    seed: int,
) -> list[Measurement]:
    """How often the apt word has the higher score; equal scores count half."""
    rewriter = pipeline.rewriter
    words = [(_marked(pair.apt), _marked(pair.inapt)) for pair in pairs]
    lists, forms = [], []
    for pair, own in zip(pairs, words, strict=True):
        place = places[pair.item]
        lists.append(
            (place, WordInventory([base_form(word, place.upos) for word in own], place.upos))
        )
        forms.append(own)
    scores = rewriter.ranker.rank_scores(lists, SUBSTITUTION, rewriter.meanings, forms)
    table = []
    for (place, inventory), found in zip(lists, scores, strict=True):
        near = inventory.vectors @ lemma_vector(place.lemma, place.upos)
        table.append([_won(*found), _won(*near)])
    intervals = bootstrap_ratios(table, np.ones_like(table), seed=seed)
    return [
        Measurement(f"rewriting.munch.test.pairs{name}", i.value, i.low, i.high, len(pairs), data,
               "" if name else CHOSEN_ON)
        for name, i in zip(("", ".neighbours"), intervals, strict=True)
    ]  # fmt: skip


def _won(apt: float, inapt: float) -> float:
    return 0.5 if apt == inapt else float(apt > inapt)


def _marked(sentence: str) -> str:
    """The word between <b> and </b>."""
    return sentence.partition("<b>")[2].partition("</b>")[0].strip() or sentence.strip()


_SUBJECTS, _OBJECTS = ("nsubj",), ("obj",)
KINDS = ("judged", "accepted")
Values = dict[str, list[list[float]]]
"""For each kind of candidate what was measured of each headline."""


def evaluate_metaphoricity(pipeline: Pipeline, options: EvaluationOptions) -> list[Measurement]:
    """Means over all judged candidates of generation and over accepted ones; a plot if wanted."""
    path = load_corpora()["newsmet"].find("train_goldplus.csv", options.data)
    headlines = judged_headlines(read_newsmet(path), pipeline)
    values = measured([h for h in headlines if h.direction == "metaphorical"])
    if options.plot is not None:
        from trope.render.plots import draw_metaphoricity

        found = {kind: [v for own in lists for v in own] for kind, lists in values.items()}
        draw_metaphoricity(found, options.plot)
    data = DataRef("newsmet", "train", sha256(path))
    parts = np.array(
        [[sum(values[kind][n]) for kind in KINDS] for n in range(len(values["judged"]))]
    )
    wholes = np.array([[len(values[kind][n]) for kind in KINDS] for n in range(len(parts))])
    intervals = bootstrap_ratios(parts, wholes, seed=options.seed)
    return [
        Measurement(f"rewriting.metaphoricity.{kind}", i.value, i.low, i.high, int(count), data)
        for kind, i, count in zip(KINDS, intervals, wholes.sum(axis=0), strict=True)
    ]


def measured(headlines: Sequence[JudgedHeadline]) -> Values:
    """Metaphoricity of all judged and of the accepted candidates of each headline."""
    table = static_vectors()
    found: Values = {kind: [] for kind in KINDS}
    for headline in headlines:
        subject, object_ = (_argument(headline, names) for names in (_SUBJECTS, _OBJECTS))
        own = [
            (value, accepted)
            for lemma, accepted in zip(headline.lemmas, headline.accepted, strict=True)
            if (value := metaphoricity(lemma, subject, object_, table)) is not None
        ]
        found["judged"].append([value for value, _ in own])
        found["accepted"].append([value for value, accepted in own if accepted])
    return found


def _argument(headline: JudgedHeadline, relations: Sequence[str]) -> str | None:
    """The word that hangs on the verb by one of the relations."""
    parse, at = headline.place.parse, headline.place.at
    words = (
        word
        for word, head, deprel in zip(parse.words, parse.heads, parse.deprels, strict=True)
        if head == at and deprel in relations
    )
    return next(words, None)


Part = Callable[[Pipeline, EvaluationOptions], list[Measurement]]

PARTS: Mapping[str, Part] = {
    "judged": evaluate_judged,
    "open": evaluate_open,
    "swords": evaluate_swords,
    "munch": evaluate_munch,
    "metaphoricity": evaluate_metaphoricity,
}
"""What `--part` chooses from."""


def evaluate(options: EvaluationOptions, pipeline: Pipeline | None = None) -> Evaluation:
    """All figures of rewriting; the checksum is that of the ranker.

    Raises:
        MissingData: where the sets' files are not there.
    """
    parts = options.choose(tuple(PARTS))
    pipeline = pipeline or options.open_pipeline()
    figures = [figure for part in parts for figure in PARTS[part](pipeline, options)]
    checksum = sha256(ranker_file(pipeline.rewriter.meanings.kind))
    return new_evaluation("rewriting", options.tier, checksum, figures)
