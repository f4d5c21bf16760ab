"""Names in analysed texts, what they stand for, and how often: metonymy in use."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trope.core.records import Analysis, Metonymy, Name, Parse, SentenceSpan
from trope.lexicon.readings import NameClass
from trope.tasks.metonymy.features import name_head
from trope.tasks.metonymy.name_rules import rule_names
from trope.tasks.metonymy.names import (
    FoundName,
    NameFinder,
    NameSpan,
    institution_finder,
    shipped_finder,
    tagged_names,
    text_names,
)
from trope.tasks.metonymy.samples import AFTER, BEFORE
from trope.tasks.metonymy.task import (
    MetonymySystem,
    NameInContext,
    Probabilities,
    metonymy_at,
    words_within,
)

_NAMES = ("PROPN", "NOUN", "X")
_LITERAL, _INDEX = "literal", "organisation-for-index"
_PRICE_VERBS = frozenset(
    {
        "add", "advance", "climb", "decline", "dip", "drop", "edge", "fall", "gain", "jump", "lose",
        "plunge", "rally", "rise", "shed", "sink", "slide", "slip", "slump", "soar", "surge",
        "tumble",
    }
)  # fmt: skip
_SHARES_OF_A_HUNDRED = frozenset({"cent", "percent", "%", "pc"})


@dataclass(frozen=True, slots=True)
class NameInText:
    """A name of a text with its context, ready for a system."""

    found: FoundName
    context: NameInContext


@dataclass(frozen=True, slots=True)
class ReadingCount:
    """How often a name has a reading in a corpus."""

    name: str
    name_class: NameClass
    reading: str
    times: int


def find_names(analysis: Analysis, finder: NameFinder | None = None) -> list[NameInText]:
    """The places and organisations of an analysed text: those that the network or the rules found,
    and listed ones without the homonyms that its tree gives away.

    Of the listed ones are left out words that are not nouns ("a china cup" has none, "Shell the
    peas" is a verb), parts of names of people or of longer names ("Jordan Smith"), and what lies
    over a name that was found.
    """
    found: list[NameInText] = []
    names = _all_names(analysis, finder)
    tagged = {(name.start, name.end) for name in analysis.names}
    for number, sentence in enumerate(analysis.sentences):
        own = _beginning_within(names, sentence)
        if not own:
            continue
        spans = [(token.start, token.end) for token in analysis.tokens_in(sentence)]
        parse = analysis.parse_of(sentence)
        for name in own:
            first, last = words_within(spans, name.start, name.end)
            if first == last:
                continue
            spelled = analysis.text[name.start : name.end]
            context = NameInContext(spelled, name.name_class, parse, first, last)
            if (name.start, name.end) in tagged or not _homonym(context):
                found.append(NameInText(name, _with_text(context, name, analysis, number)))
    return found


def _all_names(analysis: Analysis, finder: NameFinder | None) -> list[FoundName]:
    """Names of places and organisations in the order of the text, none over another.

    Institutions come first, because the network takes "Downing Street" for a place; then what the
    network or the rules found, then what the lists have.
    """
    loud = analysis.text.isupper()  # without a small letter, case tells nothing
    places = institution_finder(ignore_case=loud).find(analysis.text) if finder is None else []
    listed = (finder or shipped_finder(ignore_case=loud)).find(analysis.text)
    people = [(name.start, name.end) for name in analysis.names if name.name_class == "person"]
    tagged = [
        FoundName(n.start, n.end, analysis.text[n.start : n.end], n.name_class)
        for n in analysis.names
        if n.name_class != "person"
    ]
    kept: list[FoundName] = []
    # a longer name of the network holds the institution: "White House Farm"
    sources = (
        [p for p in places if not _within(p, tagged) and not _over(p, people)],
        tagged,
        [name for name in listed if not _over(name, people)],
    )
    for names in sources:
        taken = sorted((name.start, name.end) for name in kept)
        kept += [name for name in names if not _over(name, taken)]
    return sorted(kept, key=lambda name: name.start)


def _within(name: FoundName, others: Sequence[FoundName]) -> bool:
    """Whether a name is a part of a longer one."""
    return any(
        other.start <= name.start
        and name.end <= other.end
        and (other.start, other.end) != (name.start, name.end)
        for other in others
    )


def _over(name: FoundName, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a name shares a character with one of the spans."""
    at = bisect_left(spans, (name.end, 0)) - 1  # the last one that begins before the name ends
    return at >= 0 and spans[at][1] > name.start


def _beginning_within(names: Sequence[FoundName], sentence: SentenceSpan) -> Sequence[FoundName]:
    """The names of a sentence, which are those that begin in it; names are in their order."""
    edges = sentence.start, sentence.end
    first, last = (bisect_left(names, edge, key=lambda name: name.start) for edge in edges)
    return names[first:last]


def _with_text(
    context: NameInContext, name: FoundName, analysis: Analysis, number: int
) -> NameInContext:
    """The context with the text of its sentence, two before and one after, as samples have it."""
    first = max(0, number - BEFORE)
    around = analysis.sentences[first : number + AFTER + 1]
    begin = analysis.sentences[number].start
    return replace(
        context,
        sentences=tuple(analysis.text[sentence.start : sentence.end] for sentence in around),
        target=number - first,
        start=name.start - begin,
        end=name.end - begin,
    )


def add_metonymies(
    analyses: Sequence[Analysis], parses: Sequence[Sequence[Parse]], system: MetonymySystem
) -> list[Analysis]:
    """The same analyses with their names, and what these stand for.

    Names are tagged in the parses of the sentences, which have trees; where the model does not find
    names, rules do.
    """
    tagged = [
        _with_names(analysis, text_names(_spans(own), own, analysis.tokens), ())
        for analysis, own in zip(analyses, parses, strict=True)
    ]
    found = find_metonymies(tagged, system)
    return [
        _with_names(analysis, _with_people(own, analysis.names), own)
        for analysis, own in zip(tagged, found, strict=True)
    ]


def _with_names(
    analysis: Analysis, names: tuple[Name, ...], metonymies: tuple[Metonymy, ...]
) -> Analysis:
    """The analysis with these names; itself where that changes nothing, as in most texts."""
    if analysis.names == names and analysis.metonymies == metonymies:
        return analysis
    return replace(analysis, names=names, metonymies=metonymies)


def _spans(parses: Sequence[Parse]) -> list[list[NameSpan]]:
    if any(parse.names for parse in parses):
        return [tagged_names(parse) for parse in parses]
    return rule_names(parses)


def _with_people(metonymies: Sequence[Metonymy], names: Sequence[Name]) -> tuple[Name, ...]:
    """All names of a text in their order: those with readings, and people."""
    people = [name for name in names if name.name_class == "person"]
    read = [Name(one.start, one.end, one.name_class) for one in metonymies]
    return tuple(sorted([*people, *read], key=lambda name: name.start))


def find_metonymies(
    analyses: Sequence[Analysis], system: MetonymySystem, finder: NameFinder | None = None
) -> list[tuple[Metonymy, ...]]:
    """What the names of each text stand for, by one call of the system for all texts."""
    found = [find_names(analysis, finder) for analysis in analyses]
    contexts = [name.context for names in found for name in names]
    scores = iter(system.predict(contexts) if contexts else ())
    return [
        tuple(
            metonymy_at(
                name.found.start,
                name.found.end,
                name.context.name,
                name.found.name_class,
                _with_index(name.context, next(scores)),
            )
            for name in names
        )
        for names in found
    ]


def _with_index(name: NameInContext, scores: Probabilities) -> Probabilities:
    """The probabilities of readings, none literal for a company whose shares fall two per cent.

    The training data have few such names, and the head takes most of them literally.
    """
    if name.name_class != "organisation" or not _moves_by_share(name):
        return scores
    return {**scores, _LITERAL: 0.0, _INDEX: scores[_INDEX] + scores[_LITERAL]}


def _moves_by_share(name: NameInContext) -> bool:
    """Whether the name is the subject of a verb that moves it by a share: "Siemens fell 2 %"."""
    parse, top = name.parse, name_head(name)
    verb = parse.heads[top]
    if parse.deprels[top] != "nsubj" or parse.lemmas[verb] not in _PRICE_VERBS:
        return False
    shares = (
        at
        for at, head in enumerate(parse.heads)
        if head == verb and parse.lemmas[at].lower() in _SHARES_OF_A_HUNDRED
    )
    # "lost ten per cent of its staff" is about the company itself
    tree = tuple(zip(parse.heads, parse.deprels, strict=True))
    return any(
        not any(head == at and role.startswith("nmod") for head, role in tree) for at in shares
    )


def count_name_readings(
    texts: Iterable[tuple[str, Sequence[Metonymy]]], finder: NameFinder | None = None
) -> list[ReadingCount]:
    """How often each name has each reading, the most frequent first.

    Args:
        texts: texts with the metonymies found in them.
        finder: gives the spellings of a name one name, as it did when they were found.
    """
    finder = finder or shipped_finder()
    times: Counter[tuple[str, NameClass, str]] = Counter()
    for text, metonymies in texts:
        usual = {(name.start, name.end): name.name for name in finder.find(text)}
        for one in metonymies:
            name = usual.get((one.start, one.end), text[one.start : one.end])
            times[name, one.name_class, one.reading] += 1
    ordered = sorted(times.items(), key=lambda item: (-item[1], item[0]))
    return [ReadingCount(*key, times=count) for key, count in ordered]


def _homonym(name: NameInContext) -> bool:
    parse, top = name.parse, name_head(name)
    if parse.upos[top] not in _NAMES:
        return True
    inside = range(name.first, name.last)
    if (
        name.name_class == "location"
        and parse.deprels[top].startswith("compound")
        and parse.heads[top] == name.last
        and parse.upos[name.last] == "PROPN"
    ):
        return True  # part of a longer name: "the US Marines"
    return any(
        relation.startswith("flat") and (head in inside) != (at in inside)
        for at, (head, relation) in enumerate(zip(parse.heads, parse.deprels, strict=True))
    )
