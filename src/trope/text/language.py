"""Which language a text is in, as far as it matters: trope reads English.

Frequent little words tell languages apart after a sentence or two; other scripts by their letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_FREQUENT = {
    "English": "the of and to in is was that it he for on are as with his they be at this have "
    "from or had by not but what all were we when your can said there an which she do their if "
    "will up about out them then so some her would him has more who my been its you i me our did "
    "just how after over than into could now no new says says' a's us may off why vs amid am",
    "German": "der die und das ist nicht ein eine ich sie es den mit auf für sich dem zu von auch "
    "als wie wird aus bei nach einer einen sind noch oder aber wir ihr hat war im zum zur um vom "
    "am beim wurde werden kann wenn über doch nur sehr mehr schon dass ob",
    "French": "le la les des est et une un dans qui que pour pas sur il elle nous vous ce cette "
    "avec du au aux ne se son ses plus par mais sont été être leur ont je",
    "Spanish": "el los las una que de en y es por con para del se no su al lo como más pero sus "
    "está son este esta fue ha muy también cuando desde hay sin",
    "Italian": "il gli che di è un una per non con del della dei sono nel alla più come questo "
    "anche si da le ha dal nella suo sua ma lo era essere",
    "Portuguese": "o os as que de em um uma para com não do da dos das no na por mais como mas foi "
    "ao ele ela são seu sua está à também é",
    "Dutch": "de het een en van is dat niet zijn op te in met voor ik je hij zij er maar ook aan "
    "als bij naar wordt door nog over dan wat geen om",
    "Swedish": "och att det som en på är av för med den till inte har de ett om jag han var men "
    "sig så från vi kan när",
    "Polish": "i w na z się nie jest to że do o jak ale po za od przez tak dla czy był jego",
}
_WORDS = {name: frozenset(words.split()) for name, words in _FREQUENT.items()}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LEAST_FOREIGN = 4
_ENOUGH = 60
_SCRIPTS = (
    *("CYRILLIC", "GREEK", "ARABIC", "HEBREW", "DEVANAGARI", "THAI", "HANGUL", "CJK"),
    *("HIRAGANA", "KATAKANA", "ARMENIAN", "GEORGIAN", "BENGALI", "TAMIL"),
)

_NAMED = {
    "CJK": "Chinese or Japanese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
}
"""Scripts that are known better by their languages."""

OTHER_LANGUAGE = "looks like {}, and trope reads English; --any-language hides this note"
"""What users are told about a file in another language."""


class LanguageSample:
    """Words of one source, up to `most`; `other_language` says what they are if not English."""

    most = 400

    def __init__(self) -> None:
        self.words = 0
        self._known: Counter[str] = Counter()
        self._scripts: Counter[str] = Counter()

    @property
    def is_full(self) -> bool:
        """Whether there are enough words to decide."""
        return self.words >= self.most

    def add(self, text: str) -> None:
        """Take the first words of a text into the sample."""
        for found in _WORD.finditer(text, 0, 40 * self.most):
            word = found[0].lower()
            self.words += 1
            if not word[0].isascii():
                self._scripts[_script(word[0])] += 1
            for name, known in _WORDS.items():
                if word in known:
                    self._known[name] += 1
            if self.is_full:
                return

    def other_language(self) -> str:
        """The language if it is not English, "another language" if unknown, else nothing."""
        foreign = sum(self._scripts[name] for name in _SCRIPTS)
        if 2 * foreign > self.words:
            script = self._scripts.most_common(1)[0][0]
            return _NAMED.get(script, f"a language in {script.title()} script")
        english = self._known["English"]
        name, count = max(self._known.items(), key=lambda pair: pair[1], default=("English", 0))
        if name != "English" and count >= max(_LEAST_FOREIGN, 2 * english, self.words / 6):
            return name
        few = self.words >= _ENOUGH and english * 25 < self.words
        return "another language" if few else ""


def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0]


def other_language(text: str) -> str:
    """The language of a text that is not English; empty if it is, or too short to tell.

    >>> other_language("Der Regen hat die Straße gefressen, und es ist nicht vorbei.")
    'German'
    >>> other_language("Rain ate the road.")
    ''
    """
    sample = LanguageSample()
    sample.add(text)
    return sample.other_language()
