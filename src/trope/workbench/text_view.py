"""A text on its page: shaded words, figures, the facts of one word, a table; and saved texts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from trope.annotate.exchange.files import protect
from trope.core.files import atomic_write
from trope.core.records import Analysis, FigureVerdict, Metonymy, SentenceSpan, Token
from trope.render import names, page_pieces
from trope.render.figures import (
    WHOLE,
    entry,
    facts,
    figure_words,
    most_striking,
    tint,
)
from trope.render.markup import clean
from trope.render.page_pieces import relation_item, tree
from trope.render.sentiment import signed
from trope.workbench.corpus.table import CorpusTable
from trope.workbench.requests import RequestRefused

COLUMNS = (
    "sentence", "word", "text", "start", "end", "lemma", "upos", "xpos", "head", "deprel",
    "metaphor", "is_metaphor",
)  # fmt: skip


def shade_words(analysis: Analysis, address: str) -> str:
    """The text as HTML; each word is a link to the address followed by its number."""
    parts: list[str] = []
    shading = _Shading(analysis, clean(address))
    at = 0
    for place, sentence in enumerate(analysis.sentences):
        parts.append(clean(analysis.text[at : sentence.start]))
        parts.append(f'<span class="sentence" id="s{place}">')
        parts += shading.words(sentence)
        parts.append("</span>")
        at = sentence.end
    parts.append(clean(analysis.text[at:]))
    return "".join(parts)


def shade_css(analysis: Analysis) -> str:
    """The style sheet of the shaded text: a rule for every score that occurs."""
    scores = page_pieces.shaded_words(analysis).values()
    found = {round(score * page_pieces.SCALE) for score in scores}
    return page_pieces.score_rules(analysis.shown_threshold, found)


def slider(analysis: Analysis) -> str:
    """The slider that moves the threshold of the shades."""
    scores = page_pieces.shaded_words(analysis).values()
    return page_pieces.slider(analysis.shown_threshold, scores)


def figure_list(analysis: Analysis, address: str) -> str:
    """The figures of a text, the most striking first; each is a link to its first word."""
    parts = []
    for figure in most_striking(analysis):
        words = f"<bdi>{clean(figure_words(figure, analysis))}</bdi>"
        link = f'<a href="{clean(address)}{figure.tokens[0]}#panel">{words}</a>'
        shown = f"<b>{words}</b>" if figure.kind == WHOLE else link
        parts.append(f'<li class="{figure.kind}">{shown}{entry(figure, analysis)}</li>')
    return "".join(parts)


class _Shading:
    """What marks the words of a text: scores of metaphors, names, other figures."""

    def __init__(self, analysis: Analysis, address: str) -> None:
        self._analysis = analysis
        self._address = address
        self._scores = page_pieces.shaded_words(analysis)
        self._others = {
            place: figure
            for figure in analysis.figures
            if figure.kind in ("idiom", "simile")
            for place in figure.tokens
        }

    def words(self, sentence: SentenceSpan) -> Iterator[str]:
        """The words of a sentence as links, marked."""
        analysis = self._analysis
        own = names.names_within(sentence, analysis)
        at = sentence.start
        for number, token in enumerate(analysis.tokens_in(sentence), start=sentence.first):
            yield clean(analysis.text[at : token.start])
            at = token.end
            text = self._marked(number, token, own)
            link = f'<a class="w" id="w{number}" href="{self._address}{number}#panel">{text}</a>'
            yield link if token.is_word else text
        yield clean(analysis.text[at : sentence.end])

    def _marked(self, number: int, token: Token, own: Sequence[Metonymy]) -> str:
        text = names.marked(token, own, clean(token.text))
        text = page_pieces.marked(token, self._scores.get(number), text)
        figure = self._others.get(number)
        if figure is None:
            return text
        title = clean(facts(figure, self._analysis))
        return f'<span class="f {figure.kind} {tint(figure)}" title="{title}">{text}</span>'


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The head or a dependent of a word."""

    number: int
    text: str
    deprel: str


@dataclass(frozen=True, slots=True)
class WordFacts:
    """The facts of a word; the parts that are HTML are already escaped."""

    number: int
    token: Token
    verdict: str
    head: Neighbour | None
    dependents: tuple[Neighbour, ...]
    relations: str
    names: str
    tree: str
    sentence: str
    sentence_verdict: FigureVerdict
    sentiment: str


def word_facts(analysis: Analysis, number: int) -> WordFacts:
    """The facts of the word with a number.

    Raises:
        RequestRefused: the text has no such word.
    """
    if not 0 <= number < len(analysis.tokens):
        message = f"the text has {len(analysis.tokens)} tokens, and no token {number}"
        raise RequestRefused(404, "no-such-word", message)
    place, sentence = sentence_of(analysis, number)
    token = analysis.tokens[number]
    inside = range(sentence.first, sentence.last)
    relations = analysis.relations_in(sentence)
    own = [r for r in relations if number in (r.verb, r.subject, r.object, r.particle)]
    here = names.names_within(sentence, analysis)
    sentiment = analysis.sentence_sentiments[place] if analysis.sentence_sentiments else None
    return WordFacts(
        number=number,
        token=token,
        verdict=_verdict(analysis, number),
        head=_neighbour(analysis, token.head, token.deprel) if token.head in inside else None,
        dependents=tuple(
            _neighbour(analysis, at, analysis.tokens[at].deprel)
            for at in inside
            if analysis.tokens[at].head == number
        ),
        relations="".join(relation_item(r, analysis, unfolded=True) for r in own),
        names="".join(names.listed(names.names_over(token, here), analysis)),
        tree="".join(tree(sentence, analysis)),
        sentence=analysis.text[sentence.start : sentence.end],
        sentence_verdict=analysis.sentence_verdict(sentence),
        sentiment="" if sentiment is None else signed(sentiment),
    )


def _verdict(analysis: Analysis, number: int) -> str:
    """What a word is: part of a figure, a metaphor that the view does not show, or literal."""
    own = [f for f in analysis.figures if f.kind != WHOLE and number in f.tokens]
    if own:
        return "; ".join(facts(figure, analysis) for figure in own)
    score = analysis.tokens[number].metaphor
    if score is None:
        return ""
    if analysis.is_metaphor(number):
        return f"metaphor {score:.2f} by the rules of MIPVU, which few readers notice"
    return f"literal, metaphor {score:.2f}"


def sentence_of(analysis: Analysis, number: int) -> tuple[int, SentenceSpan]:
    """The sentence of a word, with its place in the text."""
    for place, sentence in enumerate(analysis.sentences):
        if number < sentence.last:
            return place, sentence
    raise AssertionError("every word is in a sentence")


def _neighbour(analysis: Analysis, number: int, deprel: str) -> Neighbour:
    return Neighbour(number, analysis.tokens[number].text, deprel)


def words_csv(analysis: Analysis) -> str:
    """A row per word; sentences, words and heads are counted from 0 as in the JSON."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(COLUMNS)
    shown = frozenset(analysis.metaphor_places)
    for place, sentence in enumerate(analysis.sentences):
        for number, token in enumerate(analysis.tokens_in(sentence), start=sentence.first):
            cells = (
                place, number, token.text, token.start, token.end, token.lemma, token.upos,
                token.xpos, token.head, token.deprel,
                "" if token.metaphor is None else token.metaphor, int(number in shown),
            )  # fmt: skip
            rows.writerow([protect(str(cell)) for cell in cells])
    return file.getvalue()


PREFIX = 16
"""Digits of the checksum in a link."""

_NAME = re.compile(r"[0-9a-f]{16,64}")
_SHADES = 10
_TITLE = 70  # characters of a title


@dataclass(frozen=True, slots=True)
class SavedText:
    """A text in the folder; `title` is its beginning."""

    key: str
    title: str
    characters: int
    at: datetime


class SavedTexts:
    """A folder of texts that only its owner can read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, text: str) -> str:
        """Save a text; returns its name."""
        key = sha256(text.encode()).hexdigest()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / f"{key}.txt"
        if not path.exists():
            with atomic_write(path) as file:
                file.write(text)
        return key[:PREFIX]

    def read(self, name: str) -> str:
        """The text with a name.

        Raises:
            RequestRefused: there is no such text, or its file was changed.
        """
        path = self._path(name)
        text = path.read_bytes().decode("utf-8", errors="replace")
        if sha256(text.encode()).hexdigest() != path.stem:
            message = f"{path} was changed after it was saved; delete it, and paste the text again"
            raise RequestRefused(410, "text-changed", message)
        return text

    def delete(self, name: str) -> None:
        """Delete a text."""
        self._path(name).unlink()

    def clear(self) -> int:
        """Delete all texts; returns how many there were."""
        paths = self._paths()
        for path in paths:
            path.unlink(missing_ok=True)
        return len(paths)

    def __iter__(self) -> Iterator[SavedText]:
        """All texts, the newest first."""
        paths = [(path.stat().st_mtime, path) for path in self._paths()]
        for moment, path in sorted(paths, reverse=True):
            text = path.read_text("utf-8", errors="replace")
            at = datetime.fromtimestamp(moment, UTC)
            yield SavedText(path.stem[:PREFIX], title(text), len(text), at)

    def _paths(self) -> list[Path]:
        found = self.folder.glob("*.txt")
        return [path for path in found if _NAME.fullmatch(path.stem) and len(path.stem) == 64]

    def _path(self, name: str) -> Path:
        found = [path for path in self._paths() if path.stem.startswith(name)]
        if not _NAME.fullmatch(name) or len(found) != 1:
            message = "no text with that name is saved on this machine; paste it again"
            raise RequestRefused(404, "no-such-text", message)
        return found[0]


def title(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[: 10 * _TITLE].split())
    return line if len(line) <= _TITLE else line[:_TITLE].rsplit(" ", 1)[0] + " …"


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A word of a text, or what is between two words; `shade` is from 0 to 10."""

    text: str
    word: bool = False
    shade: int = 0
    metaphor: bool = False
    chosen: bool = False
    label: str = ""
    kind: str = ""
    anchor: int = 0


def shown_figures(text: str, figures: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The figures of a text for its list, the most novel first; `number` is that of its mark."""
    shown = [
        {**one, "number": number, "words": " ".join(text[one["start"] : one["end"]].split())}
        for number, one in enumerate(figures, start=1)
    ]
    return sorted(shown, key=lambda one: (-(one.get("novelty") or 0.0), -one["score"]))


def pieces(
    table: CorpusTable, chosen: str, figures: Sequence[dict[str, Any]] = ()
) -> list[TextPiece]:
    """The text of a table in pieces; the word that begins at `chosen` is highlighted."""
    kinds = {at: one["kind"] for one in figures for at in one["tokens"]}
    anchors = {one["tokens"][0]: n for n, one in enumerate(figures, 1) if one["tokens"]}
    whole: str = table.about["text"]
    found, at = [], table.about.get("begin", 0)
    for row in table.dicts():
        found.append(TextPiece(whole[at : row["start"]]))
        score = row["score"] or 0.0
        found.append(
            TextPiece(
                whole[row["start"] : row["end"]],
                True,
                round(score * _SHADES),
                row["metaphor"],
                str(row["start"]) == chosen,
                f"{row['lemma']}, {row['upos']}, {score:.2f}",
                kinds.get(row["place"], ""),
                anchors.get(row["place"], 0),
            )
        )
        at = row["end"]
    return [
        piece for piece in [*found, TextPiece(whole[at : table.about.get("end")])] if piece.text
    ]
