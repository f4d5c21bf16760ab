"""Verb–object expressions: extraction, the inventory of verbs, weak labels, and the selection.

What is annotated is balanced, with many verbs, both senses, and no pair twice. Verbs are in random
order. Each gets one metaphorical and one literal expression by the weak labels or, if one sense is
missing, two of the other. The rest is filled round by round with the sense that has fewer
expressions. No subset repeats a verb–object pair, and a tweet is used once.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from trope.core.errors import BadRecord
from trope.core.records import Analysis, Relation, Token
from trope.corpora.tables import read_rows
from trope.corpora.verb_corpora import read_moh_formatted
from trope.corpora.vua import read_vua_words
from trope.lexicon.idioms import paper_idioms
from trope.recipes.own_texts import read_own_texts
from trope.recipes.recipe import Context, OwnNeed
from trope.recipes.records import SUBSET, Drop, Outcome, Record
from trope.recipes.sources import sources_of
from trope.recipes.steps import parse_all, sense_coverage
from trope.relations.extraction import IDIOM, MAX_WORDS, TOO_LONG
from trope.tasks.metaphor.task import VerbExpression, find_expressions

MOH_FILE = "MOH_formatted.csv"
METAPHOR, LITERAL = "metaphor", "literal"

_CORPORA = ("moh", "vua")
Subset = Literal["emotional", "political"]
SUBSETS: tuple[Subset, ...] = ("emotional", "political")
DEMO = "demo"
GOLD = "gold"
KEEP = "keep"
SENSES = (METAPHOR, LITERAL)
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class KnownPair:
    """A verb with its object in an annotated corpus, and whether it is a metaphor there."""

    corpus: str
    expression: VerbExpression
    metaphor: bool

    @property
    def lemmas(self) -> tuple[str, str]:
        """Verb and noun."""
        return self.expression.verb.lower(), self.expression.noun.lower()


def extract(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """An expression per verb with an object; rejected relations are dropped with a reason."""
    every = list(records)
    analyses = context.pipeline.analyze_many(
        (record.text for record in every), kind="tweet", tasks=("syntax", "relations")
    )
    for record, analysis in zip(every, analyses, strict=True):
        found = [relation for relation in analysis.relations if relation.kind == "vo"]
        if not found:
            yield Drop(record.id, "no-expression")
        for number, relation in enumerate(found, start=1):
            yield _candidate(record, analysis, relation, number)


def _candidate(record: Record, analysis: Analysis, relation: Relation, number: int) -> Outcome:
    identifier = f"{record.id}-{number}"
    tokens = analysis.tokens
    start, end = tokens[relation.start].start, tokens[relation.end - 1].end
    reason = relation.reason
    if reason == TOO_LONG and len(record.text[start:end].split()) <= MAX_WORDS:
        # the paper counts words between blanks: "can't", "today's" and "well-known" are one each
        reason = IDIOM if _has_idiom(tokens[relation.start : relation.end]) else ""
    if reason or relation.object is None:
        return Drop(identifier, reason)
    if relation.end < len(tokens) and tokens[relation.end].text.lower() == "like":
        return Drop(identifier, "simile")
    return Record(
        identifier,
        record.text,
        {
            **record.fields,
            "tweet": record.id,
            "verb": tokens[relation.verb].lemma.lower(),
            "object": tokens[relation.object].lemma.lower(),
            "verb_class": relation.verb_class,
            "expression": record.text[start:end],
            "start": start,
            "end": end,
        },
    )


def _has_idiom(tokens: Sequence[Token]) -> bool:
    """Whether an idiom has the first of these words and the last noun."""
    found = paper_idioms().find([t.text for t in tokens], [t.lemma for t in tokens])
    nouns = [at for at, token in enumerate(tokens) if token.upos in ("NOUN", "PROPN")]
    return any({0, nouns[-1]} <= set(match.positions) for match in found if nouns)


def known_pairs(context: Context) -> list[KnownPair]:
    """The verb–object pairs of MOH and VUA, found by our parser."""
    return context.once("known pairs", lambda: [*_moh_pairs(context), *_vua_pairs(context)])


def _moh_pairs(context: Context) -> Iterator[KnownPair]:
    if not context.settings.inventory.moh:
        return
    targets = list(read_moh_formatted(context.find("moh", MOH_FILE)))
    parses = parse_all([target.words for target in targets], context)
    for target, parse in zip(targets, parses, strict=True):
        for expression in find_expressions(parse):
            if expression.verb_at == target.target:
                yield KnownPair("moh", expression, target.metaphor)


def _vua_pairs(context: Context) -> Iterator[KnownPair]:
    for part in context.settings.inventory.vua:
        sentences = list(read_vua_words(context.find("vua18", f"VUA_seq_formatted_{part}.csv")))
        parses = parse_all([sentence.words for sentence in sentences], context)
        for sentence, parse in zip(sentences, parses, strict=True):
            for expression in find_expressions(parse):
                if expression.verb_at is not None:
                    metaphor = sentence.labels[expression.verb_at]
                    yield KnownPair(f"vua-{part}", expression, metaphor)


def only_listed(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Expressions whose verb is in the inventory; all if there is none."""
    pairs = known_pairs(context)
    own = _own_verbs(context)
    verbs = {pair.lemmas[0] for pair in pairs} | own
    if own:
        context.facts["verbs of your own"] = len(own)
    distinct = {corpus: {p.lemmas for p in pairs if p.corpus[:3] == corpus} for corpus in _CORPORA}
    context.facts["pairs"] = {corpus: len(found) for corpus, found in distinct.items()}
    context.facts["verb lemmas"] = len(verbs)
    for record in records:
        listed = not verbs or record.fields["verb"] in verbs
        yield record if listed else Drop(record.id, "verb-not-listed")


def _own_verbs(context: Context) -> set[str]:
    """The verbs of the user's own list."""
    needs = sources_of(context.settings.inventory.verbs)
    sources = [need.source for need in needs if isinstance(need, OwnNeed)]
    return {text.text.strip().lower() for one in sources for text in read_own_texts(one)}


@dataclass(slots=True)
class ExpressionSelection:
    """The chosen expressions of all subsets: id → subset, used pairs and tweets, senses."""

    chosen: dict[str, str] = field(default_factory=dict)
    pairs: set[Pair] = field(default_factory=set)
    tweets: set[str] = field(default_factory=set)
    senses: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SENSES, 0))

    def free(self, record: Record) -> bool:
        """Whether neither its pair nor its tweet is used."""
        return pair_of(record) not in self.pairs and record.fields["tweet"] not in self.tweets

    def take(self, record: Record, subset: str) -> None:
        """Choose an expression."""
        self.chosen[record.id] = subset
        self.pairs.add(pair_of(record))
        self.tweets.add(record.fields["tweet"])
        self.senses[record.fields["weak"]] += 1


def pair_of(record: Record) -> Pair:
    """The lemmas of verb and object."""
    return record.fields["verb"], record.fields["object"]


def compile_set(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """The expressions of the demo task, the emotional and the political subset."""
    settings = context.settings.compiling
    every = list(records)
    decided = read_review(settings.review)
    usable = [r for r in every if r.fields["weak"] is not None and r.id not in decided]
    selection = ExpressionSelection()
    emotional, political = (
        [record for record in usable if record.fields[SUBSET] == subset] for subset in SUBSETS
    )
    answers = known_answers(known_pairs(context))
    demo = _demo_size(emotional, context)
    known = min(settings.demo_gold, demo)
    gold = choose_gold(emotional, answers, known, selection, context.seed)
    for part, candidates, size in (
        (DEMO, emotional, demo - len(gold)),
        ("emotional", emotional, settings.emotional),
        ("political", political, settings.political),
    ):
        choose(candidates, part, size, settings.most_per_verb, selection, context.seed)
    context.facts |= facts(every, selection)
    for record in every:
        subset = selection.chosen.get(record.id)
        if subset is None:
            yield Drop(record.id, _reason(record, decided, selection))
        else:
            yield record.having(**{SUBSET: subset, GOLD: gold.get(record.id)})


def _demo_size(candidates: Sequence[Record], context: Context) -> int:
    """The size of the demo task: of a small corpus, most expressions are left to be judged."""
    settings = context.settings.compiling
    pairs = len({pair_of(record) for record in candidates})
    most = int(settings.demo_share * pairs)
    if most >= settings.demo:
        return int(settings.demo)
    size = f"{most} of the {pairs} different expressions ({settings.demo_share:.0%})"
    remedy = "--set compiling.demo=0 for none, compiling.demo_share for more, with another --out"
    if pairs:
        context.tell("demo task", f"{size}, not {settings.demo}; {remedy}")
    return most


def choose(
    candidates: Sequence[Record],
    subset: str,
    size: int,
    most_per_verb: int,
    selection: ExpressionSelection,
    seed: int,
) -> None:
    """Take up to `size` of the candidates into a subset."""
    rng = random.Random(f"{seed} {subset}")
    piles = _piles(candidates, rng)
    order = list(piles)
    rng.shuffle(order)
    selection.senses = dict.fromkeys(SENSES, 0)
    room = size
    for verb in order:
        for sense in SENSES[: min(room, most_per_verb)]:
            room -= _take_one(piles[verb], sense, subset, selection)
    for _ in range(len(SENSES), most_per_verb):
        before = room
        for verb in order:
            if room:
                room -= _take_one(piles[verb], _behind(selection), subset, selection)
        if room == before:
            return


def _piles(candidates: Sequence[Record], rng: random.Random) -> dict[str, dict[str, list[Record]]]:
    """Verb → sense → its expressions in random order."""
    piles: dict[str, dict[str, list[Record]]] = {}
    shuffled = sorted(candidates, key=lambda record: record.id)
    rng.shuffle(shuffled)
    for record in shuffled:
        own = piles.setdefault(record.fields["verb"], {sense: [] for sense in SENSES})
        own[record.fields["weak"]].append(record)
    return dict(sorted(piles.items()))


def _take_one(
    pile: Mapping[str, list[Record]], sense: str, subset: str, selection: ExpressionSelection
) -> int:
    """Take an expression of the sense or, if none is left, of the other one."""
    for own in (sense, *(other for other in SENSES if other != sense)):
        while pile[own]:
            record = pile[own].pop()
            if selection.free(record):
                selection.take(record, subset)
                return 1
    return 0


def _behind(selection: ExpressionSelection) -> str:
    return min(SENSES, key=lambda sense: selection.senses[sense])


def known_answers(pairs: Iterable[KnownPair]) -> dict[Pair, str]:
    """Pairs that are always or never metaphors in the corpora, with the expected answer."""
    found: dict[Pair, set[bool]] = {}
    for pair in pairs:
        if pair.corpus != "vua-test":
            found.setdefault(pair.lemmas, set()).add(pair.metaphor)
    return {
        pair: "yes" if True in verdicts else "no"
        for pair, verdicts in found.items()
        if len(verdicts) == 1
    }


def choose_gold(
    candidates: Sequence[Record],
    answers: Mapping[Pair, str],
    number: int,
    selection: ExpressionSelection,
    seed: int,
) -> dict[str, str]:
    """Demo items whose answer is known, half of them "yes" if there are enough: id → answer."""
    shuffled = sorted(candidates, key=lambda record: record.id)
    random.Random(f"{seed} gold").shuffle(shuffled)
    gold: dict[str, str] = {}
    for answer in ("yes", "no"):
        room = number // 2 if answer == "yes" else number - len(gold)
        for record in shuffled:
            if room and answers.get(pair_of(record)) == answer and selection.free(record):
                selection.take(record, DEMO)
                gold[record.id] = answer
                room -= 1
    return gold


def read_review(path: str) -> dict[str, str]:
    """Id → decision for expressions that the review sheet removes; empty without a sheet.

    Raises:
        BadRecord: a row has no id.
    """
    if not path:
        return {}
    found = {}
    for line, row in read_rows(Path(path), format="csv"):
        decision = (row.get("decision") or KEEP).strip()
        if not row.get("id"):
            raise BadRecord(path, line, "has no id; give columns id and decision")
        if decision != KEEP:
            found[row["id"]] = decision
    return found


def _reason(record: Record, decided: Mapping[str, str], selection: ExpressionSelection) -> str:
    if record.id in decided:
        return f"review: {decided[record.id]}"
    if record.fields["weak"] is None:
        return "no-weak-label"
    if pair_of(record) in selection.pairs:
        return "object-used"
    return "tweet-used" if record.fields["tweet"] in selection.tweets else "not-drawn"


def facts(every: Sequence[Record], selection: ExpressionSelection) -> dict[str, object]:
    """Verbs of each subset, those in both senses, and the share of weak metaphors."""
    chosen: dict[str, list[Record]] = {}
    for record in every:
        if record.id in selection.chosen:
            chosen.setdefault(selection.chosen[record.id], []).append(record)
    return {subset: _described(records) for subset, records in sorted(chosen.items())}


def _described(records: Sequence[Record]) -> dict[str, object]:
    metaphors = sum(record.fields["weak"] == METAPHOR for record in records)
    return {
        **sense_coverage(records, "weak"),
        "weakly metaphorical": round(metaphors / len(records), 4),
    }
