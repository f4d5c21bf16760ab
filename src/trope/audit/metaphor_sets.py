"""The metaphor sets as questions with yes or no for an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from trope.audit.audit import Audit, rivals_by_score
from trope.audit.binary import BinarySet, Item, audit_figures
from trope.core.files import sha256
from trope.corpora.expressions import read_adjective_nouns, read_lcc, read_svo
from trope.corpora.newsmet import Headline, read_newsmet
from trope.corpora.records import LabelledExpression, LabelledTarget
from trope.corpora.verb_corpora import read_moh_formatted
from trope.corpora.vua import read_vua_verbs, read_vua_words, sentence_words
from trope.metrics.figures import DataRef

_MELBERT = "MelBERT, Choi et al. 2021"


def audit_vua_words(data: Path, seed: int) -> Audit:
    """Every word of VUA-18."""
    folder = data / "vua18"

    def items(split: str) -> list[Item]:
        return [
            Item(s.words, label, s.id, at, at + 1, s.words[at].lower())
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

    def items(split: str) -> list[Item]:
        path = folder / f"VUA_formatted_{split}.csv"
        return [_target(v, v.id.rpartition("_")[0]) for v in read_vua_verbs(path, words=words)]

    test = folder / "VUA_formatted_test.csv"
    questions = BinarySet(
        "vua18.verbs", items("train_noVAL"), items("test"), _ref("vua18", test), items("val")
    )
    return _audit(questions, seed, "metaphor.vua18.verbs", {"f1": 0.757}, _MELBERT)


def audit_moh(data: Path, seed: int) -> Audit:
    """The verbs of MOH, in the splits of Gao et al."""

    def items(split: str) -> list[Item]:
        path = data / "moh" / f"MOH_formatted_{split}.csv"
        return [_target(verb, " ".join(verb.words)) for verb in read_moh_formatted(path)]

    test = data / "moh" / "MOH_formatted_test.csv"
    questions = BinarySet("moh", items("train"), items("test"), _ref("moh", test), items("val"))
    return _audit(questions, seed, "metaphor.moh", {}, "")


def audit_lcc(data: Path, seed: int) -> Audit:
    """The spans of LCC."""

    def items(split: str) -> list[Item]:
        return [
            Item(
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

    def item(headline: Headline) -> Item:
        return Item(tuple(headline.text.split()), headline.metaphor, headline.group)

    published = {"f1": 0.62, "accuracy": 0.61}
    questions = _newsmet(data, "newsmet", item)
    return _audit(questions, seed, "metaphor.newsmet.test", published, "Joseph et al. 2023")


def audit_newsmet_verbs(data: Path, seed: int) -> Audit:
    """Those of the headlines whose focus verb is known."""

    def item(headline: Headline) -> Item | None:
        at, words = headline.target, tuple(headline.text.split())
        if at is None:
            return None
        return Item(words, headline.metaphor, headline.group, at, at + 1, words[at].lower())

    return _audit(_newsmet(data, "newsmet.verbs", item), seed, "metaphor.newsmet.verbs", {}, "")


def _newsmet(data: Path, name: str, item: Callable[[Headline], Item | None]) -> BinarySet:
    def items(split: str) -> list[Item]:
        headlines = read_newsmet(data / "newsmet" / f"{split}_goldplus.csv")
        return [found for headline in headlines if (found := item(headline)) is not None]

    test = data / "newsmet" / "test_goldplus.csv"
    return BinarySet(name, items("train"), items("test"), _ref("newsmet", test))


def _audit(
    questions: BinarySet, seed: int, system: str, published: dict[str, float], source: str
) -> Audit:
    figures = audit_figures(questions, seed)
    return Audit(questions.name, figures, rivals_by_score(figures, system, published, source))


def _target(verb: LabelledTarget, group: str) -> Item:
    return Item(verb.words, verb.metaphor, group, verb.target, verb.target + 1, verb.verb)


def _expressions(
    data: Path,
    read: Callable[..., Iterable[LabelledExpression]],
    names: Sequence[str],
    *,
    at: int,
) -> list[Item]:
    """Items of a list of metaphors and one of literal uses."""
    lists = [
        [
            Item(e.words, e.metaphor, " ".join(e.words), at, at + 1, e.words[at].lower())
            for e in read(data / "tsv" / f"{name}.txt", metaphor=metaphor)
        ]
        for name, metaphor in zip(names, (True, False), strict=True)
    ]
    return [item for items in lists for item in items]


def _ref(name: str, *paths: Path) -> DataRef:
    return DataRef(name, "test", ",".join(sha256(path) for path in paths))
