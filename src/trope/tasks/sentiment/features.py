"""Features of the lexicon system: about fifty numbers per tweet, each with a name and a group."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trope.core.records import ROOT, Analysis, Token
from trope.lexicon.polarity import PolarityLexica
from trope.tasks.sentiment.categories import (
    IRONY_TAGS,
    SARCASM_TAGS,
    CategoryRules,
    category_of,
    hashtags,
)
from trope.tasks.sentiment.valence import Valence, is_negator, lookup, valence
from trope.text import patterns

Features = dict[str, float]

_EMOJI = re.compile(patterns.EMOJI)
_EMOTICON = re.compile(patterns.EMOTICON)
_SIMILE = re.compile(r"\bas \w+ as\b|\blike an?\b")
_CONTENT = ("NOUN", "VERB", "ADJ", "ADV")
_TAGS = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "PRON", "INTJ")
_FIRST = ("i", "me", "my", "mine", "myself", "we", "us", "our", "ours")
_SECOND = ("you", "your", "yours", "u", "ur", "yourself")
_WHOLE_TAGS = CategoryRules(cut_off=False)  # no tweet to learn from has a cut one
_SEEDS = frozenset((*SARCASM_TAGS, *IRONY_TAGS))


@dataclass(frozen=True, slots=True)
class TweetWords:
    """A tweet as the features want it: its words, with and without hashtags, and their valence."""

    analysis: Analysis
    tags: tuple[str, ...]
    plain: tuple[Token, ...]
    with_tags: Valence
    without: Valence


def tweet_words(analysis: Analysis, lexica: PolarityLexica) -> TweetWords:
    """The tweet with the valence of its words, without the hashtags that it was harvested by."""
    marks = analysis.text.count("!")
    plain = tuple(token for token in analysis.tokens if not token.text.startswith(("#", "@")))
    words = [
        token.text.lstrip("#")
        for token in analysis.tokens
        if not token.text.startswith("@") and not _is_seed(token.text)
    ]
    return TweetWords(
        analysis,
        hashtags(analysis.text),
        plain,
        valence(words, lexica.valence, marks=marks),
        valence([token.text for token in plain], lexica.valence, marks=marks),
    )


def _lexicon_features(tweet: TweetWords, lexica: PolarityLexica) -> Features:
    """Features from five polarity lexica."""
    own, words = tweet.without, [token.text for token in tweet.plain]
    strengths = [lookup(word, lexica.strength) for word in words]
    opinions = [lexica.opinion.get(word.lower(), 0) for word in words]
    senses = [
        lexica.senses.get((token.upos, token.lemma.lower()), (0.0, 0.0))
        for token in tweet.plain
        if token.upos in _CONTENT
    ]
    faces = [lexica.emoji[e] for e in _EMOJI.findall(tweet.analysis.text) if e in lexica.emoji]
    half = len(words) // 2
    return {
        "valence.compound": own.compound,
        "valence.compound_with_tags": tweet.with_tags.compound,
        "valence.positive": own.positive,
        "valence.negative": own.negative,
        "valence.highest": max(own.words, default=0.0),
        "valence.lowest": min(own.words, default=0.0),
        "valence.turn": sum(own.words[half:]) - sum(own.words[:half]),
        "valence.last": next((value for value in reversed(own.words) if value), 0.0),
        "strength.positive": sum(s for s in strengths if s > 0),
        "strength.negative": sum(s for s in strengths if s < 0),
        "opinion.positive": float(sum(o > 0 for o in opinions)),
        "opinion.negative": float(sum(o < 0 for o in opinions)),
        "senses.positive": sum(p for p, _ in senses) / max(1, len(senses)),
        "senses.negative": sum(n for _, n in senses) / max(1, len(senses)),
        "emoji.score": sum(faces) / max(1, len(faces)),
        "emoji.count": float(len(faces)),
    }


def _figurative_features(tweet: TweetWords) -> Features:
    """The marks of figures, and how they change the valence of the words."""
    text = tweet.analysis.text.lower()
    category = category_of(text, _WHOLE_TAGS)
    marked = float(category in ("sarcasm", "irony"))
    compound = tweet.without.compound
    last = tweet.tags[-1] if tweet.tags else ""
    return {
        "figure.sarcasm": float(any(tag.startswith("sarcas") for tag in tweet.tags)),
        "figure.irony": float(category == "irony"),
        "figure.not": float("not" in tweet.tags),
        "figure.other_tag": float("yeahright" in tweet.tags),
        "figure.marked": marked,
        "figure.at_end": float(last in _SEEDS),
        "figure.literally": float("literally" in text),
        "figure.simile": float(bool(_SIMILE.search(text))),
        "figure.marked_valence": marked * compound,
        "figure.marked_strength": marked * abs(compound),
        "figure.unmarked_valence": (1 - marked) * compound,
    }


def surface_features(tweet: TweetWords) -> Features:
    """Punctuation, letters, lengths."""
    text = tweet.analysis.text
    words = [token.text for token in tweet.plain]
    return {
        "surface.exclamations": float(text.count("!")),
        "surface.questions": float(text.count("?")),
        "surface.dots": float(text.count("...") + text.count("…")),
        "surface.quotes": float(text.count('"') + text.count("“")),
        "surface.capitals": float(sum(word.isupper() and len(word) > 1 for word in words)),
        "surface.elongated": float(len(re.findall(r"([A-Za-z])\1{2,}", text))),
        "surface.emoticons": float(len(_EMOTICON.findall(text))),
        "surface.mentions": float(text.count("@")),
        "surface.hashtags": float(len(tweet.tags)),
        "surface.words": float(len(words)),
    }


def _syntax_features(tweet: TweetWords) -> Features:
    """Tags and tree: persons, negation, the valence of the root."""
    tokens = tweet.analysis.tokens
    total = max(1, len(tweet.plain))
    small = [token.text.lower() for token in tweet.plain]
    found = {f"tags.{tag.lower()}": _share(tweet.plain, tag) for tag in _TAGS}
    valences = dict(zip((id(token) for token in tweet.plain), tweet.without.words, strict=True))
    return found | {
        "words.first_person": sum(word in _FIRST for word in small) / total,
        "words.second_person": sum(word in _SECOND for word in small) / total,
        "negation.words": float(sum(is_negator(word) for word in small)),
        "negation.turned": float(tweet.without.negated),
        "tree.root_valence": _sum(valences, [t for t in tokens if t.head == ROOT]),
        "tree.object_valence": _sum(valences, [t for t in tokens if t.deprel in ("obj", "iobj")]),
        "tree.modifier_valence": _sum(valences, [t for t in tokens if t.deprel == "amod"]),
        "tree.clauses": float(
            sum(token.deprel in ("advcl", "ccomp", "xcomp", "acl", "conj") for token in tokens)
        ),
    }


def features_of(tweet: TweetWords, lexica: PolarityLexica) -> Features:
    """All of them; names begin with those of their groups."""
    return {
        **_lexicon_features(tweet, lexica),
        **_figurative_features(tweet),
        **surface_features(tweet),
        **_syntax_features(tweet),
    }


def is_figurative(name: str) -> bool:
    """Whether a feature belongs to the group that the ablation leaves out."""
    return name.startswith("figure.")


def _is_seed(word: str) -> bool:
    """Whether a word is a hashtag that tweets are harvested by; "not" alone is a word."""
    return word.startswith("#") and word[1:].lower() in _SEEDS


def _share(tokens: Sequence[Token], tag: str) -> float:
    return sum(token.upos == tag for token in tokens) / max(1, len(tokens))


def _sum(valences: Mapping[int, float], tokens: Sequence[Token]) -> float:
    return sum(valences.get(id(token), 0.0) for token in tokens)
