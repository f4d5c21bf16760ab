"""The data sets that `trope audit` knows, with their controls and what these are compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from trope.audit.audit import Audit, Rival, rivals_by_score
from trope.audit.controls import AuditItem, BinarySet, audit_figures
from trope.core.files import sha256
from trope.corpora.mean import read_mean
from trope.corpora.newsmet import Headline, read_newsmet
from trope.corpora.records import LabelledExpression, LabelledTarget, TextRecord
from trope.corpora.tables import read_rows, read_texts
from trope.corpora.verb_corpora import read_adjective_nouns, read_lcc, read_moh_formatted, read_svo
from trope.corpora.vua import read_vua_verbs, read_vua_words, sentence_words
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.intervals import Floats, Interval, bootstrap_ratios, bootstrap_sums
from trope.tasks.analogy.controls import overlaps, share_of_gold

_MELBERT = "MelBERT, Choi et al. 2021"


def audit_vua_words(data: Path, seed: int) -> Audit:
    """Every word of VUA-18."""
    folder = data / "vua18"

    def items(split: str) -> list[AuditItem]:
        return [
            AuditItem(s.words, label, s.id, at, at + 1, s.words[at].lower())
            for s in read_vua_words(folder / f"VUA_seq_formatted_{split}.csv")
            for at, label in enumerate(s.labels)
        ]

    test = folder / "VUA_seq_formatted_test.csv"
    questions = BinarySet(
        "vua18.words", items("train"), items("test"), _ref("vua18", test), items("val")
    )
    return _audit(questions, seed, "metaphor.vua18.words", {"f1": 0.785}, _MELBERT)


def audit_vua_verbs(data: Path, seed: int) -> Audit:
    """The verbs of VUA-18; those of the validation sentences are left out of train."""
    folder = data / "vua18"
    words: dict[str, tuple[str, ...]] = {}
    for split in ("train", "val", "test"):
        words |= sentence_words(read_vua_words(folder / f"VUA_seq_formatted_{split}.csv"))

    def items(split: str) -> list[AuditItem]:
        path = folder / f"VUA_formatted_{split}.csv"
        return [_target(v, v.id.rpartition("_")[0]) for v in read_vua_verbs(path, words=words)]

    test = folder / "VUA_formatted_test.csv"
    questions = BinarySet(
        "vua18.verbs", items("train_noVAL"), items("test"), _ref("vua18", test), items("val")
    )
    return _audit(questions, seed, "metaphor.vua18.verbs", {"f1": 0.757}, _MELBERT)


def audit_moh(data: Path, seed: int) -> Audit:
    """The verbs of MOH, in the splits of Gao et al."""

    def items(split: str) -> list[AuditItem]:
        path = data / "moh" / f"MOH_formatted_{split}.csv"
        return [_target(verb, " ".join(verb.words)) for verb in read_moh_formatted(path)]

    test = data / "moh" / "MOH_formatted_test.csv"
    questions = BinarySet("moh", items("train"), items("test"), _ref("moh", test), items("val"))
    return _audit(questions, seed, "metaphor.moh", {}, "")


def audit_lcc(data: Path, seed: int) -> Audit:
    """The spans of LCC."""

    def items(split: str) -> list[AuditItem]:
        return [
            AuditItem(
                span.words,
                span.metaphor,
                f"{split}:{span.line}",
                span.start,
                span.end,
                " ".join(span.words[span.start : span.end]).lower(),
            )
            for span in read_lcc(data / "lcc" / f"{split}.csv")
        ]

    test = data / "lcc" / "test.csv"
    questions = BinarySet("lcc", items("train"), items("test"), _ref("lcc", test), items("dev"))
    return _audit(questions, seed, "metaphor.lcc", {}, "")


def audit_adjective_nouns(data: Path, seed: int) -> Audit:
    """The adjectives of TSV; the noun is their context."""
    train = _expressions(
        data,
        read_adjective_nouns,
        ("training_adj_noun_met_en", "training_adj_noun_nonmet_en"),
        at=0,
    )
    test = _expressions(data, read_adjective_nouns, ("an_mets", "an_nonmets"), at=0)
    ref = _ref("tsv", data / "tsv" / "an_mets.txt", data / "tsv" / "an_nonmets.txt")
    questions = BinarySet("tsv.adjective_noun", train, test, ref)
    return _audit(questions, seed, "metaphor.tsv.adjective_noun", {}, "")


def audit_svo(data: Path, seed: int) -> Audit:
    """The verbs of TSV's triplets, in folds, since there is no train; the nouns are context."""
    test = _expressions(data, read_svo, ("svo_mets", "svo_nonmets"), at=1)
    ref = _ref("tsv", data / "tsv" / "svo_mets.txt", data / "tsv" / "svo_nonmets.txt")
    questions = BinarySet("tsv.svo", (), test, ref)
    return _audit(questions, seed, "metaphor.tsv.svo", {}, "")


def audit_newsmet(data: Path, seed: int) -> Audit:
    """The headlines of NewsMet, as released: rejected candidates among them."""

    def item(headline: Headline) -> AuditItem:
        return AuditItem(tuple(headline.text.split()), headline.metaphor, headline.group)

    published = {"f1": 0.62, "accuracy": 0.61}
    questions = _newsmet(data, "newsmet", item)
    return _audit(questions, seed, "metaphor.newsmet.test", published, "Joseph et al. 2023")


def audit_newsmet_verbs(data: Path, seed: int) -> Audit:
    """Those of the headlines whose focus verb is known."""

    def item(headline: Headline) -> AuditItem | None:
        at, words = headline.target, tuple(headline.text.split())
        if at is None:
            return None
        return AuditItem(words, headline.metaphor, headline.group, at, at + 1, words[at].lower())

    return _audit(_newsmet(data, "newsmet.verbs", item), seed, "metaphor.newsmet.verbs", {}, "")


def _newsmet(data: Path, name: str, item: Callable[[Headline], AuditItem | None]) -> BinarySet:
    def items(split: str) -> list[AuditItem]:
        headlines = read_newsmet(data / "newsmet" / f"{split}_goldplus.csv")
        return [found for headline in headlines if (found := item(headline)) is not None]

    test = data / "newsmet" / "test_goldplus.csv"
    return BinarySet(name, items("train"), items("test"), _ref("newsmet", test))


def _audit(
    questions: BinarySet, seed: int, system: str, published: dict[str, float], source: str
) -> Audit:
    figures = audit_figures(questions, seed)
    return Audit(questions.name, figures, rivals_by_score(figures, system, published, source))


def _target(verb: LabelledTarget, group: str) -> AuditItem:
    return AuditItem(verb.words, verb.metaphor, group, verb.target, verb.target + 1, verb.verb)


def _expressions(
    data: Path,
    read: Callable[..., Iterable[LabelledExpression]],
    names: Sequence[str],
    *,
    at: int,
) -> list[AuditItem]:
    """Items of a list of metaphors and one of literal uses."""
    lists = [
        [
            AuditItem(e.words, e.metaphor, " ".join(e.words), at, at + 1, e.words[at].lower())
            for e in read(data / "tsv" / f"{name}.txt", metaphor=metaphor)
        ]
        for name, metaphor in zip(names, (True, False), strict=True)
    ]
    return [item for items in lists for item in items]


def _ref(name: str, *paths: Path) -> DataRef:
    return DataRef(name, "test", ",".join(sha256(path) for path in paths))


_MEAN_SYSTEM = "analogy.mean.t1.grouped.accuracy"
_STATIC = 0.458  # the best of the published systems without a language model
_GUESS = -2.0


def audit_mean(data: Path, seed: int) -> Audit:
    """What the spelling of the four options gives away."""
    path = data / "mean" / "MEAN_datasetV1.csv"
    ref = DataRef("mean", "all", sha256(path))
    rows = list(read_mean(path))
    controls: Mapping[str, tuple[list[list[float]], str]] = {
        "chance": ([[0.0] * len(row.choices) for row in rows], "any of the four"),
        "longest": (
            [[float(len(choice)) for choice in row.choices] for row in rows],
            "the longest option",
        ),
        "spelling": (
            [list(overlaps(row)) for row in rows],
            "most letter pairs of target and role",
        ),
    }
    figures: list[Measurement] = []
    for name, (scores, note) in controls.items():
        right = [share_of_gold(values) for values in scores]
        interval = bootstrap_ratios(right, np.ones(len(right)), seed=seed)[0]
        figures.append(_figure(f"audit.mean.{name}.accuracy", interval, len(rows), ref, note))
    source = "fastText, the best static vectors"
    rivals = {figure.name: Rival(_MEAN_SYSTEM, _STATIC, source) for figure in figures}
    return Audit("mean", figures, rivals)


def audit_semeval2015(data: Path, seed: int) -> Audit:
    """How far one answer for all tweets goes, over the test set and by category.

    The test set names no categories; sarcasm and irony are therefore those of the training data.
    """
    folder = data / "semeval2015"
    test = folder / "tagged-GoldTest.tsv.gz"
    columns = ("id", "score", "text", "tagged")
    rows = list(read_texts(test, format="tsv", columns=columns))
    ref = DataRef("semeval2015", "test", sha256(test))
    gold = [float(row.fields["score"]) for row in rows]
    figures = _constant_figures("constant", gold, ref, seed, f"always {_GUESS:g}")
    rivals = {
        figures[0].name: Rival("sentiment.semeval2015.test.cosine", 0.758, "CLaC, the winner")
    }
    published = {"sarcasm": ("sarcasticFRAMES.tsv", 0.892), "irony": ("ironicFRAMES.tsv", 0.904)}
    for category, (name, value) in published.items():
        path = folder / name
        scores = [
            float(fields["score"])
            for _, fields in read_rows(path, format="tsv", columns=("id", "score", "frames"))
        ]
        part = DataRef("semeval2015", f"train, {category}", sha256(path))
        note = f"always {_GUESS:g}, training tweets"
        made = _constant_figures(f"constant_{category}", scores, part, seed, note)
        system = f"sentiment.semeval2015.{category}.cosine"
        rivals[made[0].name] = Rival(system, value, "CLaC, on test")
        figures += made
    figures.append(_shared_texts(folder, [row.text for row in rows], ref, seed))
    return Audit("semeval2015", figures, rivals)


def _shared_texts(folder: Path, texts: Sequence[str], data: DataRef, seed: int) -> Measurement:
    """The share of test tweets whose text is in train; the note counts copies inside of test."""
    known = {row.text for row in _train_texts(folder)}
    same = [float(text in known) for text in texts]
    copies = sum(count for count in Counter(texts).values() if count > 1)
    interval = bootstrap_ratios(same, np.ones(len(same)), seed=seed)[0]
    said = f"{round(sum(same))} texts are in train too; {copies} rows of test share a text"
    return _figure("audit.semeval2015.duplicates_train.share", interval, len(same), data, said)


def _train_texts(folder: Path) -> Iterator[TextRecord]:
    columns = ("id", "score", "text", "tagged")
    return read_texts(folder / "tagged-train.tsv.gz", format="tsv", columns=columns)


def _constant_figures(
    control: str, gold: Sequence[float], data: DataRef, seed: int, note: str
) -> list[Measurement]:
    """Cosine and mean squared error of one guess for all."""
    truth = np.array(gold)
    guess = np.full_like(truth, _GUESS)
    sums = np.stack(
        [truth * guess, truth**2, guess**2, (truth - guess) ** 2, np.ones_like(truth)], axis=1
    )

    def scores(rows: Floats) -> Floats:
        product, ours, theirs, squares, count = rows.T
        return np.stack([product / np.sqrt(ours * theirs), squares / count], axis=1)

    intervals = bootstrap_sums(sums, scores, seed=seed)
    return [
        _figure(f"audit.semeval2015.{control}.{name}", interval, len(gold), data, note)
        for name, interval in zip(("cosine", "mse"), intervals, strict=True)
    ]


def _figure(name: str, interval: Interval, n: int, data: DataRef, note: str) -> Measurement:
    return Measurement(name, interval.value, interval.low, interval.high, n=n, data=data, note=note)


VUA18 = (audit_vua_words, audit_vua_verbs)
MOH = (audit_moh,)
TSV = (audit_adjective_nouns, audit_svo)
LCC = (audit_lcc,)
NEWSMET = (audit_newsmet, audit_newsmet_verbs)
MEAN = (audit_mean,)
SEMEVAL2015 = (audit_semeval2015,)
