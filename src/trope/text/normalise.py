"""Texts normalised for the encoder, each change mapped back to the original.

Normalisation is a tuple of steps; each step takes a `Mapped` text and returns one. A step replaces
a stretch by at most one character, so words found later never share a character of the original.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

from trope.core.records import TextKind
from trope.core.texts import Mapped
from trope.text import patterns
from trope.text.elongations import shorten_elongations

Step = Callable[[Mapped], Mapped]

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]+"
)
_SINGLE_QUOTE = re.compile("[\u2018\u2019\u201a\u201b\u2032\u02bc]")
_DOUBLE_QUOTE = re.compile("[\u201c-\u201f\u2033]|``|''")
_LINK = re.compile(
    rf"(?i:https?://|ftp://)\S+|{patterns.LINK}|(?<![\w.])(?:t\.co|bit\.ly|ow\.ly|goo\.gl)/\S+"
    r"|(?<!\w)https?:?/{0,2}\S{0,20}…"
)
_RETWEET = re.compile(r"[\s\"'“]*(?:RT\s*@\w+\s*:?\s*)+", re.IGNORECASE)
_REPEATED = re.compile(
    r"(?P<mark>[!?,;:…~\"'(){}\[\]])(?P=mark)+|(?<=\.\.)(?P<dot>\.)\.+|(?<=-)(?P<dash>-)-+"
)
_SPACES = re.compile(r"\s{2,}|[^\S ]")
_LINE_BREAK = re.compile("[\n\r\x0b\x0c\x85\u2028\u2029]")
_TOKENISED = re.compile(
    r" (?=[,;:?!%)\]](?:\s|$)|\.(?:\s|$)|(?:n't|'(?:s|re|ve|ll|d|m))(?!\w))|(?<=[$(\[]) ",
    re.IGNORECASE,
)

_WHO = (
    "sources?|reports?|stud(?:y|ies)|polls?|surveys?|police|officials?|ministers?|ministry|media|"
    "papers?|newspapers?|ceo|cfo|lawyers?|spokes(?:man|woman|person)|statement|monitors?|"
    "prosecutors?|judge|court|witness(?:es)?|experts?|analysts?|agency|agencies|residents|army|"
    "military|government|documents?|filing|memo|data|researchers|aides?|envoy|regulator|union|"
    "white house|pentagon|kremlin|state department|reuters|bloomberg|xinhua|interfax|ria|tass|"
    "wsj|nyt|ft|cnn|cnbc|nikkei|bbc(?: news)?|fox news|new york times|washington post"
)
_WHOSE = (
    "finance|prime|foreign|defen[cs]e|interior|oil|energy|state|local|government|military|company|"
    r"security|court|central bank|reuters|reuters/ipsos|fox news|gallup|u\.[sn]\.|u[skn]|eu"
)
_FORMAT = "as it happened|(?:business |politics )?live|video|in pictures|podcast|cartoon|letters?"
_ATTRIBUTION = re.compile(
    rf"(?: ?:|(?<=\s)[-–—|]+) (?:(?:(?:{_WHOSE}) )?(?:{_WHO})|{_FORMAT})$"
    r"|(?<=\s)\| [^|]{2,40}$|(?<=\s)[(\[](?:video|audio|photos?|update|watch|nsfw|tweets?)[)\]]$",
    re.IGNORECASE,
)
_KICKER = re.compile(
    r"(?:exclusive|opinion|factbox|commentary|analysis|breaking(?: news)?|watch|video|live|quiz|"
    r"special report|photos?|podcast|column|timeline|transcript|updated?(?: \d)?|just in|must see|"
    r"flashback|revealed|reports?|polls?|stud(?:y|ies)|surveys?|sources?|police|officials) ?[:|] ",
    re.IGNORECASE,
)
LEAST_WORDS = 3
"""A headline keeps its kicker or attribution where fewer words than this would stay."""


def decode_entities(text: Mapped) -> Mapped:
    """The text with `&amp;` read as "&"; what stands for no or several characters is kept."""

    if "&" not in text.text:
        return text

    def decoded(match: re.Match[str]) -> str:
        character = html.unescape(match[0])
        return character if len(character) == 1 else match[0]

    found = ((*m.span(), decoded(m)) for m in _ENTITY.finditer(text.text))
    return text.edit(edit for edit in found if len(edit[2]) == 1)


def repair_surrogates(text: Mapped) -> Mapped:
    """The text with U+FFFD for each half of a broken character, which no encoding has."""
    return text if text.text.isascii() else text.sub(_SURROGATE, "\ufffd")


def blank_controls(text: Mapped) -> Mapped:
    """The text with a blank for each control character; line ends and tabs stay."""
    return text.sub(_CONTROL, " ")


def drop_invisible(text: Mapped) -> Mapped:
    """The text without invisible characters such as direction marks (emoji joiners stay)."""
    return text if text.text.isascii() else text.sub(_INVISIBLE, "")


def straighten_quotes(text: Mapped) -> Mapped:
    """The text with ' and " for the typographer's quotes."""
    return text.sub(_DOUBLE_QUOTE, '"').sub(_SINGLE_QUOTE, "'")


def drop_links(text: Mapped) -> Mapped:
    """The text with a blank for each address, cut-off ones included."""
    return text.sub(_LINK, " ")


def drop_retweet_mark(text: Mapped) -> Mapped:
    """The text without a leading `RT @user:`."""
    match = _RETWEET.match(text.text)
    return text.edit([(0, match.end(), "")]) if match else text


def shorten_punctuation(text: Mapped) -> Mapped:
    """The text with one mark for several equal ones; dots stay three, dashes two."""
    return text.sub(_REPEATED, lambda match: match["mark"] or match["dot"] or match["dash"])


def squeeze_space(text: Mapped) -> Mapped:
    """The text with one blank, or one line end, between words and none around it."""
    text = text.sub(_SPACES, lambda match: "\n" if _LINE_BREAK.search(match[0]) else " ")
    size = len(text.text)
    lead = size - len(text.text.lstrip())
    trail = len(text.text.rstrip())
    if not lead and trail == size:
        return text
    return text.edit([(0, lead, ""), (max(trail, lead), size, "")])


def close_blanks(text: Mapped) -> Mapped:
    """A tokenised headline without the blanks that tokenising put in ("Trump 's" and "60 %")."""
    return text.sub(_TOKENISED, "")


def drop_attribution(text: Mapped) -> Mapped:
    """The headline without its attribution ("…: source", "… - report", "… | Site") or format."""
    match = _ATTRIBUTION.search(text.text)
    if match and len(text.text[: match.start()].split()) >= LEAST_WORDS:
        return text.edit([(*match.span(), "")])
    return text


def drop_kicker(text: Mapped) -> Mapped:
    """The headline without a label before it ("Exclusive: …", "Opinion | …")."""
    match = _KICKER.match(text.text)
    if match and len(text.text[match.end() :].split()) >= LEAST_WORDS:
        return text.edit([(*match.span(), "")])
    return text


READABLE: tuple[Step, ...] = (repair_surrogates, blank_controls, drop_invisible, straighten_quotes)
"""The steps that every text needs before tokenisation."""

STEPS: dict[TextKind, tuple[Step, ...]] = {
    "plain": READABLE,
    "tweet": (
        decode_entities,
        *READABLE,
        drop_links,
        drop_retweet_mark,
        shorten_elongations,
        shorten_punctuation,
        squeeze_space,
    ),
    "headline": (
        decode_entities,
        *READABLE,
        squeeze_space,
        drop_kicker,
        drop_attribution,
        close_blanks,
        squeeze_space,
    ),
}
"""How texts of a kind are cleaned, in this order; a recipe may list its own."""


def normalise(text: str, steps: Sequence[Step]) -> Mapped:
    """The text after all steps."""
    mapped = Mapped.of(text)
    for step in steps:
        mapped = step(mapped)
    return mapped


def is_retweet(text: str) -> bool:
    """Whether a tweet is a retweet: it begins with `RT @user`."""
    return _RETWEET.match(text) is not None
