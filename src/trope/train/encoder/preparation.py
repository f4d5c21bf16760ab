"""The first stage of `trope train encoder`: words to pieces, labels to numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from trope.core.files import atomic_write
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import SENTIMENT_OUTPUTS, Labels
from trope.train.encoder.corpus import (
    collect_labels,
    encode_treebank,
    encode_verdicts,
    encode_words,
)
from trope.train.encoder.figure_sets import encode_figures, read_figure_set, read_metaphor_set
from trope.train.encoder.name_sets import LABELS, encode_names, read_name_set
from trope.train.encoder.run import DEV_TAGS, TREEBANKS, EncoderRun
from trope.train.encoder.sentiment_sets import encode_sentiment_texts, read_sentiment_set
from trope.train.encoder.synthetic_headlines import as_headline, raising_headlines
from trope.train.encoder.tag_sets import TAGS, encode_tags, read_tag_set
from trope.train.encoder.text_sets import read_text_set, read_treebank


def prepare(run: EncoderRun, data: Path) -> None:
    """Read treebanks, verdicts and texts once; write them as arrays."""
    vocabulary = Vocabulary(run.vocabulary())
    _prepare_treebanks(run, data, vocabulary)
    for chosen in run.sets("metaphor"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            sentences = read_metaphor_set(data, chosen.name, split)
            encode_verdicts(sentences, vocabulary).save(run.work / f"{file}.npz")
            run.say(f"{chosen.name} {split}: {len(sentences)} sentences with verdicts")
    _prepare_figures(run, data, vocabulary)
    _prepare_sentiment(run, data, vocabulary)
    _prepare_names(run, data, vocabulary)
    _prepare_tags(run, data, vocabulary)
    for chosen in run.sets("text"):
        drawn = _draw(read_text_set(data, chosen.name, run.say), chosen.share)
        corpus, _ = encode_words(drawn, vocabulary)
        corpus.save(run.work / f"{chosen.name}.npz")
    (run.work / "prepared").touch()


def _draw(sentences: Iterable[tuple[str, ...]], share: float) -> Iterator[tuple[str, ...]]:
    """A share of the sentences, the same ones in every run: their wording decides."""
    for words in sentences:
        digest = hashlib.md5(" ".join(words).encode(), usedforsecurity=False).digest()
        if int.from_bytes(digest[:4], "big") < share * 2**32:
            yield words


def _prepare_treebanks(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    gold = {s.name: read_treebank(data, s.name, "train") for s in run.sets("syntax")}
    labels = collect_labels([s for sentences in gold.values() for s in sentences])
    _write_labels(run, labels)
    rng = np.random.default_rng(run.settings.seed)
    headlines = [h for s in gold.get("ewt", []) if (h := as_headline(s, rng))]
    headlines += raising_headlines(len(headlines) // 4, rng)
    together = [*(s for sentences in gold.values() for s in sentences), *headlines]
    encode_treebank(together, labels, vocabulary).save(run.work / f"{TREEBANKS}.npz")
    for name in gold:
        dev = encode_treebank(read_treebank(data, name, "dev"), labels, vocabulary)
        dev.save(run.work / f"dev-{name}.npz")
    run.say(f"treebanks: {len(together)} sentences, {len(headlines)} of them made headlines")


def _prepare_figures(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("figures"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            sentences = read_figure_set(data, chosen.name, split)
            encode_figures(sentences, vocabulary).save(run.work / f"{file}.npz")
            run.say(f"{chosen.name} {split}: {len(sentences)} sentences with figures")


def _prepare_tags(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("names"):
        sentences = read_tag_set(data, chosen.name, "train")
        encode_tags(sentences, vocabulary).save(run.work / f"{chosen.name}.npz")
        run.say(f"{chosen.name}: {len(sentences)} sentences with tagged names")
    if run.sets("names"):
        dev = read_tag_set(data, "", "dev")
        encode_tags(dev, vocabulary).save(run.work / f"{DEV_TAGS}.npz")
        _write_labels(run, msgspec.structs.replace(run.labels(), names=TAGS))


def _prepare_sentiment(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("sentiment"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            texts = read_sentiment_set(data, chosen.name, split)
            if texts:
                encode_sentiment_texts(texts, vocabulary).save(run.work / f"{file}.npz")
                run.say(f"{chosen.name} {split}: {len(texts)} texts with sentiment")
    if run.sets("sentiment"):
        _write_labels(run, msgspec.structs.replace(run.labels(), sentiment=SENTIMENT_OUTPUTS))


def _prepare_names(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("metonymy"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            names = read_name_set(data, chosen.name, split, run.settings.seed, without=run.without)
            if names:
                encode_names(names, vocabulary).save(run.work / f"{file}.npz")
                run.say(f"{chosen.name} {split}: {len(names)} sentences with names")
    if run.sets("metonymy"):
        _write_labels(run, msgspec.structs.replace(run.labels(), metonymy=LABELS))


def _write_labels(run: EncoderRun, labels: Labels) -> None:
    labels = msgspec.structs.replace(labels, meaning=run.settings.meaning)
    with atomic_write(run.work / "labels.json", "wb") as file:
        file.write(msgspec.json.encode(labels))  # type: ignore[arg-type]
