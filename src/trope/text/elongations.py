"""Letters drawn out for emphasis: "sooo goooood" is read as "so good"."""

from __future__ import annotations

import re
from itertools import product

from trope.core.texts import Edit, Mapped

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
