"""Sentences made by rule, for teachers to label: metaphors that no corpus has many of.

"X is a Y", "the Y of X", things that act as people or animals do, and beside each of these a
literal sentence with the same words, so that it is not the words that give a metaphor away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_TOPICS = _words(
    "memory grief hope jealousy boredom debt silence ambition doubt patience curiosity fame "
    "guilt loneliness laughter envy time progress rumour bureaucracy truth forgiveness "
    "nostalgia panic inflation democracy friendship marriage childhood language music work "
    "sleep poverty luck education politics gossip shame courage habit history love anger"
)
_THINGS = _words(
    "dog door ladder river knife garden kitchen engine candle bridge cage blanket mirror anchor "
    "spider carpet storm furnace suitcase wheel lantern swamp hammer drawer orchard thermostat "
    "bicycle parachute onion tide fence leak magnet thief tenant landlord dentist clock "
    "umbrella staircase mushroom piano volcano shadow sponge wallpaper vine ghost passport "
    "window trap"
)
_CLAUSES = (
    "that nobody dares to open", "that bites its owner", "with a broken lock", "in an empty house",
    "that needs new batteries", "left out in the rain", "you cannot carry for long",
    "without a handle", "that grows in the dark", "that leaks all night", "on a moving train",
    "that still smells of smoke", "you learn to live with", "",
)  # fmt: skip
_ACTIONS = (
    "chewed through", "knocked on the door of", "swallowed", "stitched together", "drowned",
    "whispered to", "unpacked", "stalked", "nibbled at", "hijacked", "baptised", "watered",
    "strangled", "tiptoed around", "wallpapered", "devoured", "ambushed", "seasoned",
)  # fmt: skip
_PEOPLE = _words("clerk nurse widow farmer lawyer neighbour tailor plumber librarian cook driver")
_PLACES = _words("office village kitchen city courtroom school station market hospital theatre")
_QUALITIES = _words(
    "stale bitter frozen hungry rusty naked sleepy bruised feverish crooked salty barefoot deaf "
    "swollen threadbare"
)

Pick = Callable[[Sequence[str]], str]
"""Draws one of several words."""


def make_sentences(number: int, seed: int) -> Iterator[tuple[str, ...]]:
    """So many sentences, as words; the same for the same seed."""
    rng = np.random.default_rng(seed)

    def one(words: Sequence[str]) -> str:
        return words[int(rng.integers(len(words)))]

    makers = (_nominal, _genitive, _acting, _quality, _literal_thing, _literal_person)
    for _ in range(number):
        maker = makers[int(rng.integers(len(makers)))]
        sentence = " ".join(maker(one).split())
        yield (*(sentence[0].upper() + sentence[1:]).split(" "), ".")


def _nominal(one: Pick) -> str:
    return f"{one(_TOPICS)} is {_article(one(_THINGS))} {one(_CLAUSES)}"


def _genitive(one: Pick) -> str:
    return f"she could not escape the {one(_THINGS)} of {one(_TOPICS)} in the {one(_PLACES)}"


def _acting(one: Pick) -> str:
    return f"{one(_TOPICS)} {one(_ACTIONS)} the {one(_PEOPLE)} in the {one(_PLACES)}"


def _quality(one: Pick) -> str:
    return f"the {one(_PEOPLE)} lived with {_article(one(_QUALITIES))} {one(_TOPICS)}"


def _literal_thing(one: Pick) -> str:
    return f"the {one(_PEOPLE)} bought {_article(one(_THINGS))} {one(_CLAUSES)}"


def _literal_person(one: Pick) -> str:
    return f"the {one(_PEOPLE)} spoke about {one(_TOPICS)} in the {one(_PLACES)}"


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
