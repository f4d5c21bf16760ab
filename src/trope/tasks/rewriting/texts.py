"""Rewriting whole texts: which of their verbs, and each candidate in the text that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trope.core.errors import BadInput, UnknownName
from trope.core.records import Analysis, Parse
from trope.tasks.rewriting.inventory import lemma_vector, wordnet_of
from trope.tasks.rewriting.rewriter import (
    SHORTLISTED,
    Candidate,
    RankedWords,
    Rewriter,
    Rewriting,
    Shortlist,
    find_verb,
    full_verbs,
    idiom_at,
)
from trope.tasks.rewriting.task import DIRECTIONS, Direction, MetaphorJudge, WordPlace
from trope.tasks.rewriting.user_candidates import UserCandidates, usable_candidates

_FEWEST_WORDS = 2
_PREFERRED_AMONG = 2
"""Times as many candidates as are wanted, among which the detector chooses."""
_KEPT_MEANING = 0.6
"""The lowest likeness of a literal candidate to the word that it replaces: nearly all candidates
that people accepted in the training data have more."""
_LEAST_SCORE = -3.0
"""The lowest score of a literal candidate, log-odds of about one in twenty."""
_JUDGED = 100
"""Words for the place of a metaphor among which the detector finds the literal ones."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A verb of one of several analyses that is to be rewritten."""

    analysis: int
    token: int
    place: WordPlace


def rewrite_analysis(
    analysis: Analysis,
    rewriter: Rewriter,
    detector: MetaphorJudge,
    *,
    to: Direction,
    verb: str | None = None,
    top: int = 6,
    candidates: Sequence[str] | None = None,
) -> list[Rewriting]:
    """Candidates for the verb that is named, or for all verbs that `to` makes sense for.

    Those are metaphorical verbs for `literal` and all others for `metaphorical`. Opposites of the
    verb are not offered, and for `literal` nothing that the detector calls a metaphor in its place.
    Where `candidates` are given, all of them are ranked and nothing else.

    Raises:
        BadInput: where there is no such verb, it stands there twice or in an idiom, or where none
            of the given candidates is a known verb.
    """
    (found,) = rewrite_analyses(
        [analysis], [verb], rewriter, detector, to=to, top=top, candidates=candidates
    )
    if isinstance(found, BadInput):
        raise found
    return found


def rewrite_analyses(
    analyses: Sequence[Analysis],
    verbs: Sequence[str | None],
    rewriter: Rewriter,
    detector: MetaphorJudge,
    *,
    to: Direction,
    top: int = 6,
    candidates: Sequence[str] | None = None,
) -> list[list[Rewriting] | BadInput]:
    """The same for many analyses, read in one go; for one that is refused, the reason."""
    if to not in DIRECTIONS:
        raise UnknownName("direction", str(to), DIRECTIONS)
    found: list[list[Rewriting]] = [[] for _ in analyses]
    problems: dict[int, BadInput] = {}
    chosen: list[_Chosen] = []
    given: list[UserCandidates] = []
    for number, (analysis, verb) in enumerate(zip(analyses, verbs, strict=True)):
        try:
            own = _verbs_of(number, analysis, verb, to)
            if candidates is not None:
                given += [usable_candidates(candidates, own_verb.place) for own_verb in own]
        except BadInput as problem:
            problems[number] = problem
        else:
            chosen += own
    places = [own_verb.place for own_verb in chosen]
    if candidates is None:
        number = _JUDGED if to == "literal" else SHORTLISTED
        lists = [without_opposites(own) for own in rewriter.shortlists(places, to, number=number)]
        if to == "literal":
            limits = [analyses[own_verb.analysis].threshold for own_verb in chosen]
            lists = _literal_words(lists, limits, detector)
        ranked = rewriter.read(lists, to, top=_PREFERRED_AMONG * top)
    else:
        ranked = rewriter.rank_given(places, [own.verbs for own in given], to)
    forms = [
        (place, [place.fitted(lemma) for lemma in found.lemmas])
        for place, found in zip(places, ranked, strict=True)
    ]
    metaphors = _metaphors(forms, detector)
    refused = [own.refused for own in given] or [()] * len(chosen)
    for own_verb, words, scores, out in zip(chosen, ranked, metaphors, refused, strict=True):
        wanted = top if candidates is None else None
        done = _rewriting(analyses[own_verb.analysis], own_verb, words, scores, to, wanted)
        found[own_verb.analysis].append(replace(done, refused=out))
    return [problems.get(number, own) for number, own in enumerate(found)]


def _verbs_of(number: int, analysis: Analysis, verb: str | None, to: Direction) -> list[_Chosen]:
    """The verbs of an analysis that are to be rewritten."""
    starts, parses = sentence_parses(analysis)
    if sum(token.text[:1].isalnum() for token in analysis.tokens) < _FEWEST_WORDS:
        raise BadInput("a text of one word has no context to rewrite it in; give a sentence")
    chosen = _named(parses, verb) if verb else _fitting(analysis, starts, parses, to)
    return [
        _Chosen(number, starts[sentence] + at, WordPlace(parses[sentence], at, "VERB"))
        for sentence, at in chosen
    ]


def all_rewritings(
    analysis: Analysis, rewriter: Rewriter, detector: MetaphorJudge, *, top: int = 6
) -> list[Rewriting]:
    """Literal candidates for all metaphorical verbs, metaphorical candidates for the others."""
    found: list[Rewriting] = []
    for to in DIRECTIONS:
        try:
            found += rewrite_analysis(analysis, rewriter, detector, to=to, top=top)
        except BadInput:
            continue  # no such verb
    return sorted(found, key=lambda rewriting: rewriting.start)


def sentence_parses(analysis: Analysis) -> tuple[list[int], list[Parse]]:
    """The position of the first token of each sentence, and the sentences' parses.

    Without a metaphor head no word is a metaphor.
    """
    parses = [analysis.parse_of(sentence) for sentence in analysis.sentences]
    return [sentence.first for sentence in analysis.sentences], [
        parse if parse.metaphor else replace(parse, metaphor=(0.0,) * len(parse))
        for parse in parses
    ]


def _named(parses: Sequence[Parse], verb: str) -> list[tuple[int, int]]:
    sentence, at = find_verb(parses, verb)
    if not is_known(WordPlace(parses[sentence], at, "VERB")):
        raise BadInput(f"the verb {verb!r} is not in the dictionaries of trope; choose another")
    if idiom := idiom_at(parses[sentence], at):
        raise BadInput(
            f"{verb!r} belongs to the idiom {idiom!r}, whose words are not "
            "rewritten one by one; rewrite the idiom as a whole"
        )
    return [(sentence, at)]


def is_known(place: WordPlace) -> bool:
    """Whether a dictionary of trope has the word."""
    net = wordnet_of(place.upos)
    return bool(net and net.senses(place.lemma)) or bool(
        lemma_vector(place.lemma, place.upos).any()
    )


def _fitting(
    analysis: Analysis, starts: Sequence[int], parses: Sequence[Parse], to: Direction
) -> list[tuple[int, int]]:
    """The verbs that could be rewritten in this direction."""
    verbs = [(s, at) for s, parse in enumerate(parses) for at in full_verbs(parse)]
    if not verbs:
        raise BadInput("the text has no full verb; only verbs are rewritten")
    known = [(s, at) for s, at in verbs if is_known(WordPlace(parses[s], at, "VERB"))]
    if not known:
        names = ", ".join(parses[s].words[at] for s, at in verbs)
        raise BadInput(f"the verbs of the text are not in the dictionaries of trope ({names})")
    free = [(s, at) for s, at in known if not idiom_at(parses[s], at)]
    if not free:
        raise BadInput("all verbs of the text belong to idioms; rewrite these as a whole")
    metaphorical = to == "literal"
    found = [(s, at) for s, at in free if analysis.is_metaphor(starts[s] + at) == metaphorical]
    if not found:
        kind = "metaphorical" if metaphorical else "literal"
        names = ", ".join(parses[s].words[at] for s, at in free)
        raise BadInput(f"the text has no {kind} verb; choose one with --verb ({names})")
    return found


def _metaphors(
    asked: Sequence[tuple[WordPlace, Sequence[str]]], detector: MetaphorJudge
) -> list[list[float]]:
    """The probability of each form to be a metaphor in its place."""
    sentences = [place.with_word(form) for place, forms in asked for form in forms]
    verdicts = iter(detector.verdicts(sentences) if sentences else ())
    return [[next(verdicts).metaphor[place.at] for _ in forms] for place, forms in asked]


def _rewriting(
    analysis: Analysis,
    chosen: _Chosen,
    ranked: RankedWords,
    metaphors: Sequence[float],
    to: Direction,
    top: int | None,
) -> Rewriting:
    """So many candidates, chosen by the detector, or all of them; the best first."""
    token, place = analysis.tokens[chosen.token], chosen.place
    candidates = []
    rows = zip(ranked.lemmas, ranked.scores, ranked.fits, ranked.meanings, metaphors, strict=True)
    for lemma, score, fit, meaning, metaphor in rows:
        form = place.fitted(lemma)
        text = analysis.text[: token.start] + form + analysis.text[token.end :]
        candidates.append(Candidate(form, lemma, score, fit, meaning, metaphor, text))
    if top is not None:
        candidates = preferred(candidates, to, analysis.threshold, top)
    return Rewriting(
        verb=token.text,
        lemma=place.lemma,
        start=token.start,
        end=token.end,
        to=to,
        metaphor=token.metaphor or 0.0,
        candidates=tuple(candidates),
    )


def without_opposites(words: Shortlist) -> Shortlist:
    """The words of a list that do not mean the opposite of the word in the place."""
    net, own = wordnet_of(words.place.upos), words.place.lemma
    if net is None:
        return words
    lemmas = words.words.lemmas
    return words.take([at for at, other in enumerate(lemmas) if not net.opposed(own, other)])


def _literal_words(
    lists: Sequence[Shortlist], limits: Sequence[float], detector: MetaphorJudge
) -> list[Shortlist]:
    """The best words of each list that the detector calls literal in their place."""
    metaphors = _metaphors([(own.place, own.forms) for own in lists], detector)
    return [
        own.take([at for at, p in enumerate(scores) if p < limit][:SHORTLISTED])
        for own, scores, limit in zip(lists, metaphors, limits, strict=True)
    ]


def preferred(
    candidates: Sequence[Candidate], to: Direction, threshold: float, top: int
) -> list[Candidate]:
    """The wanted number of candidates, fewer where there are not so many, the best first.

    A literal candidate is one that the detector calls literal in its place, and that keeps the
    meaning. Of metaphorical ones the best half stays, then come those that the detector confirms:
    it is not part of the score, since it was trained on the headlines that the score was learnt
    from, and it errs.
    """
    if to == "literal":
        same = [c for c in candidates if c.meaning >= _KEPT_MEANING and c.score >= _LEAST_SCORE]
        return [c for c in same if c.metaphor < threshold][:top]
    best, others = list(candidates[: (top + 1) // 2]), candidates[(top + 1) // 2 :]
    wanted = [c for c in others if c.metaphor >= threshold]
    rest = [c for c in others if c not in wanted]
    return sorted([*best, *wanted, *rest][:top], key=lambda c: -c.score)
