"""Texts normalised for the encoder, each change mapped back to the original.

Normalisation is a tuple of steps; each step takes a `Mapped` text and returns one. A step replaces
a stretch by at most one character, so words found later never share a character of the original.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from itertools import product

from trope.core.records import TextKind
from trope.core.texts import Edit, Mapped
from trope.text import patterns

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


LONGEST_WORD = 40
MOST_RUNS = 5

# No dependency of the core brings a word list, and a full one is not needed: a run falls to two
# letters anyway, so only words that people draw out AND whose spelling decides between one letter
# and two must be known. These are function words, interjections, greetings, words of praise and
# blame, and the everyday words of tweets; both kinds are listed, since "good" must beat "god".
_LISTED = """
    a able about absolutely actually after again ah aha all alone already alright also always am
    amazing an and angry annoyed annoying any anymore anyone anything anyway are argh argue
    around as asleep ass at aw away awesome awful aww babe babes baby back bad bae ball be
    beautiful because bed been before being best better bff big birthday bitch bless body bomb
    book boom bored boring boss boy boys brexit brilliant bring bro broke brother brr bruh bus
    but buy by bye cake call came can cannot car care cat cheer cheers cheese chill chocolate
    christmas city class clearly coffee cold come coming cool could crap crazy crush cry crying
    cute cutie cuz dad damn dang darling date day days dead dear deep definitely delicious did
    die different dinner disgusting do doctor does dog done dope down dream drunk dude dumb each
    early easy eat eek eh end ending english enjoy enough epic er especially even ever every
    everybody everyone everything evil ew exactly exam excited excuse extremely eyes fab
    fabulous face fail fall family fan fantastic far fast fat favorite favourite feel feeling
    feet fell few final finally find fine first fix follow food fool for forever freak free
    freezing fresh friday friend friends from fuck fucking full fun funny game gee get girl
    girls give glad go goal god goddess going gone gonna good goodbye goodness goodnight goods
    gorgeous got gotta great gross grr guess guy guys gym ha had haha hair happy hard hat hate
    hated hater haters hates have he heart heaven heck hell hello help her here hey hi high him
    his hm hmm holiday holy home honestly honey hooray hope hopefully horrible horrid hot hour
    house how hug huge hugs hun hungry hurry hurt i ice idiot if ill ily in incredible insane
    interesting is it its jealous job joke joking joy just keep kid kids kill kind kiss knew
    know lame last late later laugh lazy least leave leaving left less let lets life like liked
    likes literally little live lmao lol lonely long look looking looks lord lose loser lost lot
    lots loud love loved lovely lover loves loving low luck lucky lush luv mad made magic
    magical major make man many marvellous massive mate may maybe me mean meeting meh mess mine
    miss missed missing mm mom moment monday money monster more morning most mother move movie
    much mum music must my nah name nap nasty near need nervous never new next nice night no
    nobody none nope not nothing now obsessed of off official oh ok okay old omg on once one
    only ooh oops open or other ouch our out over own pain party pass pathetic peace people
    perfect phew phone photo pig pissed pizza place play please pleased pls plus poor power pray
    pretty probably promise proper proud psst queen quick quiet quite rain raining random ready
    real really red relax remain rest rich ridiculous right road rock room rude run sad safe
    said same saturday save saw say scared scary school scream see seem seen serious seriously
    sexy she shh shit shock shop short should shower shut sick sigh silly simply sing sister
    sleep sleepy slow small smart smell smile smooth snow so sober soft some something soon sore
    sorry soul sound special spoil start stay still stop stress strong stupid style such suck
    sucks summer sun sunday sunshine super sure surely surprise suspicious sweet sweetie take
    talk tasty team tee tell terrible than thank thankful thanks that the their them then there
    they thing things think thirsty this tho those though thrilled through thursday tight till
    time tiny tired to today together tomorrow tonight too totally tough town tragic trash true
    truly trust try tuesday tv two u ugh ugly uh ultimate um unbelievable under uni until up ur
    us used useless vacation very vote wait waiting walk wanna want was wasted watch water way
    we weak weather wednesday wee week weekend weird well were wet what whatever when where
    which while who whoa whole whoop whoops why wicked wife wild will win winner wish with
    without woah woke woman won wonder wonderful woo woohoo woot word words work working world
    worried worse worst worth would wow wrong wtf yah yahoo yall yas yay yea yeah year years yep
    yes yesterday yet yikes yo you young your yous yum yummy yup
"""
WORDS = frozenset(_LISTED.split())

# Runs of three that are spelling.
KEPT = {"iii", "viii", "xiii", "xviii", "xxiii", "xxx", "www", "aaa", "ieee", "kkk", "zzz"}

_WORD = re.compile(r"(?<![@#\w])[^\W\d_]+")
_LONG_RUN = re.compile(r"([^\W\d_])\1\1", re.IGNORECASE)
_RUN = re.compile(r"([^\W\d_])\1+", re.IGNORECASE)


def shorten_elongations(text: Mapped) -> Mapped:
    """The text with runs of three and more letters cut to two, or to one if only that is a word.

    User names and hashtags stay as they are: they are names.
    """
    if not _LONG_RUN.search(text.text):
        return text
    edits: list[Edit] = []
    for word in _WORD.finditer(text.text):
        if _LONG_RUN.search(word[0]) and word[0].lower() not in KEPT:
            edits += _shorten(word[0], word.start())
    return text.edit(edits)


def _shorten(word: str, offset: int) -> list[Edit]:
    """Edits of one word. The first letter of a run stays, what follows becomes one or none.

    So each remaining letter keeps a stretch of its own, even where a word is cut inside the run.
    """
    runs = [match.span() for match in _RUN.finditer(word)]
    keep = _doubled(word, runs)
    edits = []
    for (start, end), double in zip(runs, keep, strict=True):
        if not double:
            edits.append((offset + start, offset + end, word[start]))
        elif end - start > 2:
            edits.append((offset + start + 1, offset + end, word[start]))
    return edits


def _doubled(word: str, runs: list[tuple[int, int]]) -> tuple[bool, ...]:
    """For each run whether it is left double: the first choice that gives a word, else all are."""
    all_double = (True,) * len(runs)
    if len(runs) > MOST_RUNS or len(word) - sum(b - a - 2 for a, b in runs) > LONGEST_WORD:
        return all_double
    choices = sorted(product((True, False), repeat=len(runs)), key=lambda choice: -sum(choice))
    for choice in choices:
        if _spell(word, runs, choice).lower() in WORDS:
            return choice
    return all_double


def _spell(word: str, runs: list[tuple[int, int]], doubled: tuple[bool, ...]) -> str:
    pieces: list[str] = []
    done = 0
    for (start, end), double in zip(runs, doubled, strict=True):
        pieces += word[done:start], word[start] * (2 if double else 1)
        done = end
    return "".join(pieces) + word[done:]


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
