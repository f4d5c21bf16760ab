"""The losses of a network: on labels, and on the teachers' predictions."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from trope.encoder.network import MetaphorScores, Network, NetworkScores, SyntaxScores
from trope.encoder.session import FIGURE_OUTPUTS, SENTIMENT_OUTPUTS, Labels
from trope.train.encoder.corpus import UNKNOWN, ZERO, universal_relations

Batch = dict[str, Tensor]
_LEMMA_WEIGHT, _XPOS_WEIGHT = 0.5, 0.5
_METAPHOR_WEIGHT = 3.0  # a verdict is one bit where syntax has many
RARE = 1.5  # weight of metaphors, which are every eighth word
_SENTIMENT_WEIGHT, _METONYMY_WEIGHT, _MEANING_WEIGHT = 1.0, 1.0, 1.0
_FIGURES_WEIGHT, _NAMES_WEIGHT = 2.0, 1.0
NOVELTY_WEIGHT = 16.0  # scores differ by an eighth on average, verdicts by one
_POLARITY_WEIGHT = 0.5  # of polarity and irony, which are there to help the score
_TEACHER_SHARE = 0.5  # of the loss on words that have both an answer and teachers
_SENTIMENT_ANSWERS = {"score", "polarity", "valence"}
_NOVELTY = FIGURE_OUTPUTS.index("novelty")
_VALENCE = SENTIMENT_OUTPUTS.index("valence")


@dataclass
class SyntaxLabels:
    """The teachers' predictions for every word of a corpus, as flat arrays on the device."""

    upos: Tensor
    xpos: Tensor
    lemma: Tensor
    deprel: Tensor  # of the likeliest head
    head: Tensor  # the likeliest heads, best first
    head_share: Tensor


@dataclass
class MetaphorLabels:
    """The teachers' metaphor probability of each word and each sentence."""

    metaphor: Tensor
    figurative: Tensor


@dataclass
class SoftLabels:
    """The predictions of the teachers of each task for a corpus; None for tasks without any."""

    syntax: SyntaxLabels | None = None
    metaphor: MetaphorLabels | None = None
    sentiment: Tensor | None = None  # [sentence, output], as the head gives it
    metonymy: Tensor | None = None  # [word, reading]: logits, 0 for words that are not names
    figures: Tensor | None = None  # [word, figure], as the head gives them
    names: Tensor | None = None  # [word, tag]: probabilities
    meaning: Tensor | None = None  # [word, dimension]


def total_loss(
    model: Network,
    scores: NetworkScores,
    batch: Batch,
    answers: Batch,
    sentence_answers: Batch,
    teacher: SoftLabels,
    families: Tensor,
    blocks: Tensor,
) -> Tensor:
    """The sum over all heads of the model that the batch has labels for."""
    loss = torch.zeros((), device=batch["ids"].device)
    if scores.syntax is not None:
        if "upos" in answers:
            loss = loss + gold_loss(model, scores.syntax, batch, answers, families)
        elif teacher.syntax is not None:
            loss = loss + _distillation_loss(model, scores.syntax, batch, teacher.syntax)
    if scores.metaphor is not None:
        verdicts = _verdict_loss(
            scores.metaphor, batch, answers, sentence_answers, teacher.metaphor
        )
        loss = loss + _METAPHOR_WEIGHT * verdicts
    if scores.sentiment is not None and (
        teacher.sentiment is not None or _SENTIMENT_ANSWERS & sentence_answers.keys()
    ):
        sentiment = sentiment_loss(scores.sentiment, batch, sentence_answers, teacher.sentiment)
        loss = loss + _SENTIMENT_WEIGHT * sentiment
    if scores.metonymy is not None and "name" in answers:
        read = reading_loss(scores.metonymy, batch, answers, teacher.metonymy, blocks)
        loss = loss + _METONYMY_WEIGHT * read
    if scores.figures is not None:
        figures = figure_loss(scores.figures, batch, answers, teacher.figures)
        loss = loss + _FIGURES_WEIGHT * figures
    if scores.names is not None:
        loss = loss + _NAMES_WEIGHT * name_loss(scores.names, batch, answers, teacher.names)
    if scores.meaning is not None and teacher.meaning is not None:
        loss = loss + _MEANING_WEIGHT * meaning_loss(scores.meaning, batch, teacher.meaning)
    return loss


def gold_loss(
    model: Network, scores: SyntaxScores, batch: Batch, gold: Batch, families: Tensor
) -> Tensor:
    """Cross-entropy on the answers; relations known without subtype count as their whole family."""
    assert model.syntax is not None
    word = batch["word"]
    answer = {k: torch.where(word >= 0, v[word.clamp_min(0)], UNKNOWN) for k, v in gold.items()}
    loss = _entropy(scores.upos, answer["upos"])
    loss = loss + _XPOS_WEIGHT * _entropy(scores.xpos, answer["xpos"])
    loss = loss + _LEMMA_WEIGHT * _entropy(scores.lemma, answer["lemma"])
    loss = loss + _entropy(masked_arcs(scores.arcs, word), answer["head"])
    relation = model.syntax.labels(scores, answer["head"]).log_softmax(-1)
    family = torch.logsumexp(relation.unsqueeze(-1) + families.log(), dim=-2)
    loss = loss + _entropy(relation, answer["deprel"])
    only_family = torch.where(answer["deprel"] == UNKNOWN, answer["universal"], UNKNOWN)
    return loss + _entropy(family, only_family)


def _distillation_loss(
    model: Network, scores: SyntaxScores, batch: Batch, teacher: SyntaxLabels
) -> Tensor:
    """Cross-entropy with the soft labels of the teachers; every word counts the same."""
    assert model.syntax is not None
    word = batch["word"]
    there = word >= 0
    index = word.clamp_min(0)

    def soft(logits: Tensor, target: Tensor) -> Tensor:
        each = -(target[index].float() * logits.float().log_softmax(-1)).sum(-1)
        return each[there].mean()

    loss = soft(scores.upos, teacher.upos) + _XPOS_WEIGHT * soft(scores.xpos, teacher.xpos)
    lemma = torch.where(there, teacher.lemma[index].long(), UNKNOWN)
    loss = loss + _LEMMA_WEIGHT * _entropy(scores.lemma, lemma)
    heads = teacher.head[index].long()
    arcs = masked_arcs(scores.arcs, word).log_softmax(-1)
    width = arcs.shape[-1] - 1
    chosen = arcs.gather(-1, heads.clamp_max(width))
    loss = loss + (-(teacher.head_share[index].float() * chosen).sum(-1))[there].mean()
    best = heads[..., 0].clamp_max(width)
    return loss + soft(model.syntax.labels(scores, best), teacher.deprel)


def _verdict_loss(
    scores: MetaphorScores,
    batch: Batch,
    answers: Batch,
    sentence_answers: Batch,
    teacher: MetaphorLabels | None,
) -> Tensor:
    """Cross-entropy with people's verdicts and with the teachers', where there are any."""
    word, sentence = batch["word"], batch["sentence"]
    there, index = word >= 0, word.clamp_min(0)
    loss = torch.zeros((), device=word.device)
    for name in ("metaphor", "target"):
        if name in answers:
            given = torch.where(there, answers[name][index], UNKNOWN)
            loss = loss + _verdict_entropy(getattr(scores, name), given, RARE)
    if "figurative" in sentence_answers:
        given = sentence_answers["figurative"][sentence]
        loss = loss + _verdict_entropy(scores.figurative, given, 1.0)
    if teacher is None:
        return loss
    words = _binary(scores.metaphor[there], teacher.metaphor[word[there]])
    whole = _binary(scores.figurative, teacher.figurative[sentence])
    own = 1 - _TEACHER_SHARE if {"metaphor", "figurative"} & {*answers, *sentence_answers} else 1
    return own * loss + _TEACHER_SHARE * (words + whole)


def figure_loss(predicted: Tensor, batch: Batch, answers: Batch, teacher: Tensor | None) -> Tensor:
    """Cross-entropy of verdicts and squared error of novelty, with answers and with teachers."""
    word = batch["word"]
    there, index = word >= 0, word.clamp_min(0)
    loss = torch.zeros((), device=word.device)
    for place, name in enumerate(FIGURE_OUTPUTS):
        if name not in answers:
            continue
        given = torch.where(there, answers[name][index], UNKNOWN)
        own = predicted[..., place].float()
        if place == _NOVELTY:
            known = given != UNKNOWN
            error = (own - (given - ZERO).float() / 1000) ** 2 * known
            loss = loss + NOVELTY_WEIGHT * error.sum() / known.sum().clamp_min(1)
        else:
            loss = loss + _verdict_entropy(own, given, RARE)
    if teacher is None:
        return loss
    mine, wanted = predicted[there].float(), teacher[word[there]].float()
    error = ((mine[:, _NOVELTY] - wanted[:, _NOVELTY]) ** 2).mean()
    soft = NOVELTY_WEIGHT * error + _binary(mine[:, :_NOVELTY], wanted[:, :_NOVELTY].sigmoid())
    own_share = 1 - _TEACHER_SHARE if {*FIGURE_OUTPUTS} & answers.keys() else 1
    return own_share * loss + _TEACHER_SHARE * soft


def name_loss(predicted: Tensor, batch: Batch, answers: Batch, teacher: Tensor | None) -> Tensor:
    """Cross-entropy of the tags of names."""
    word = batch["word"]
    there = word >= 0
    loss = torch.zeros((), device=word.device)
    if "tag" in answers:
        given = torch.where(there, answers["tag"][word.clamp_min(0)], UNKNOWN)
        loss = _entropy(predicted, given)
    if teacher is None:
        return loss
    logs = predicted[there].float().log_softmax(-1)
    soft = -(teacher[word[there]].float() * logs).sum(-1).mean()
    return (1 - _TEACHER_SHARE if "tag" in answers else 1) * loss + _TEACHER_SHARE * soft


def sentiment_loss(
    predicted: Tensor, batch: Batch, sentence_answers: Batch, teacher: Tensor | None
) -> Tensor:
    """Squared error of scores, cross-entropy of polarity and irony."""
    sentence, predicted = batch["sentence"], predicted.float()
    loss = torch.zeros((), device=predicted.device)
    if "score" in sentence_answers:
        given, weight = sentence_answers["score"][sentence], sentence_answers["weight"][sentence]
        known = (given != UNKNOWN) * (weight.float() / 100).sqrt()
        error = (predicted[:, 0] - (given - ZERO).float() / 100) ** 2 / 2
        loss = loss + (error * known).sum() / known.sum().clamp_min(1e-3)
    if "polarity" in sentence_answers:
        polarity = _entropy(
            predicted[:, None, 1:4], sentence_answers["polarity"][sentence][:, None]
        )
        irony = _verdict_entropy(predicted[:, 4], sentence_answers["irony"][sentence], 1.0)
        loss = loss + _POLARITY_WEIGHT * (polarity + irony)
    if "valence" in sentence_answers:
        given = sentence_answers["valence"][sentence]
        known = given != UNKNOWN
        error = (predicted[:, _VALENCE] - (given - ZERO).float() / 100) ** 2 * known
        loss = loss + error.sum() / known.sum().clamp_min(1)
    if teacher is None:
        return loss
    predictions = teacher[sentence].float()
    soft = ((predicted[:, 0] - predictions[:, 0]) ** 2 / 2).mean()
    shares = predictions[:, 1:4].softmax(-1)
    soft = soft - _POLARITY_WEIGHT * (shares * predicted[:, 1:4].log_softmax(-1)).sum(-1).mean()
    soft = soft + _POLARITY_WEIGHT * _binary(predicted[:, 4], predictions[:, 4].sigmoid())
    soft = soft + ((predicted[:, _VALENCE] - predictions[:, _VALENCE]) ** 2).mean()
    own = 1 - _TEACHER_SHARE if _SENTIMENT_ANSWERS & sentence_answers.keys() else 1
    return own * loss + _TEACHER_SHARE * soft


def reading_loss(
    predicted: Tensor, batch: Batch, answers: Batch, teacher: Tensor | None, blocks: Tensor
) -> Tensor:
    """Cross-entropy of the readings of names, among those of the name's class."""
    word = batch["word"]
    at = torch.where(word >= 0, answers["name"][word.clamp_min(0)], UNKNOWN) != UNKNOWN
    places = word[at]
    allowed = blocks[answers["name"][places]]
    logs = predicted[at].float().masked_fill(~allowed, -1e4).log_softmax(-1)
    loss = torch.zeros((), device=predicted.device)
    reading = answers["reading"][places]
    if (reading != UNKNOWN).any():
        loss = functional.nll_loss(logs, reading, ignore_index=UNKNOWN)
    if teacher is None:
        return loss
    shares = teacher[places].float().masked_fill(~allowed, -1e4).softmax(-1)
    soft = -(shares * logs).sum(-1).mean()
    return (1 - _TEACHER_SHARE) * loss + _TEACHER_SHARE * soft


def meaning_loss(predicted: Tensor, batch: Batch, teacher: Tensor) -> Tensor:
    """Relative squared error of the teachers' vectors, of words and of whole sentences."""
    word = batch["word"]
    there = (word >= 0).unsqueeze(-1)
    wanted = teacher[word.clamp_min(0)].float() * there
    predicted = predicted.float() * there
    number = there.sum(1)

    def missed(a: Tensor, b: Tensor) -> Tensor:
        return ((a - b) ** 2).sum() / (b**2).sum()

    return missed(predicted, wanted) + missed(predicted.sum(1) / number, wanted.sum(1) / number)


def class_blocks(labels: Labels, device: str) -> Tensor:
    """[class of names, reading]: whether the class has the reading."""
    kinds = [name.split(":")[0] for name in labels.metonymy]
    order = list(dict.fromkeys(kinds))
    return torch.tensor([[kind == own for kind in kinds] for own in order], device=device)


def _binary(logits: Tensor, shares: Tensor) -> Tensor:
    return functional.binary_cross_entropy_with_logits(logits.float(), shares.float())


def _verdict_entropy(logits: Tensor, given: Tensor, weight: float) -> Tensor:
    """Mean cross-entropy of the verdicts that were given; 0 where none was."""
    known = given != UNKNOWN
    each = functional.binary_cross_entropy_with_logits(
        logits.float(),
        given.clamp_min(0).float(),
        pos_weight=torch.tensor(weight, device=logits.device),
        reduction="none",
    )
    return (each * known).sum() / known.sum().clamp_min(1)


def _entropy(scores: Tensor, answers: Tensor) -> Tensor:
    """Mean cross-entropy over the words that have an answer; 0 where none has."""
    known = (answers != UNKNOWN).sum().clamp_min(1)
    total = functional.cross_entropy(
        scores.flatten(0, 1).float(), answers.flatten(), ignore_index=UNKNOWN, reduction="sum"
    )
    return total / known


def masked_arcs(arcs: Tensor, word: Tensor) -> Tensor:
    """Arc scores with the heads beyond a sentence's end ruled out."""
    there = torch.cat([torch.ones_like(word[:, :1], dtype=torch.bool), word >= 0], dim=1)
    return arcs.float().masked_fill(~there.unsqueeze(1), -1e4)


def universal_matrix(labels: Labels, device: str) -> Tensor:
    """1 where a relation belongs to a universal relation, else almost 0."""
    families = universal_relations(labels)
    matrix = torch.full((len(labels.deprels), len(families)), 1e-30)
    for row, relation in enumerate(labels.deprels):
        matrix[row, families.index(relation.split(":")[0])] = 1.0
    return matrix.to(device)


def as_float(scores: SyntaxScores) -> SyntaxScores:
    """The scores in 32 bits."""
    return SyntaxScores(**{name: value.float() for name, value in vars(scores).items()})
