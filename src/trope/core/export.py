"""Analyses as plain data and as JSON, the same bytes for the same analysis every time.

Offsets are code points of the original text, positions are token indices. What belongs to a task
that did not run is left out.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from trope.core.records import Analysis, Figure, Metonymy, Relation, Token

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_dict(analysis: Analysis) -> dict[str, Any]:
    """The analysis as dictionaries, lists, strings and numbers."""
    syntax = "syntax" in analysis.tasks
    metaphor = "metaphor" in analysis.tasks
    data: dict[str, Any] = {
        "text": analysis.text,
        "tokens": [_token(token, syntax, metaphor) for token in analysis.tokens],
        "sentences": [[sentence.start, sentence.end] for sentence in analysis.sentences],
    }
    if "relations" in analysis.tasks:
        data["relations"] = relations_to_dicts(analysis)
    if metaphor:
        data["figurative"] = list(analysis.figurative)
        data["threshold"] = analysis.threshold
        data["sentence_threshold"] = analysis.sentence_threshold
        data["words"] = analysis.words
        data["shown_threshold"] = analysis.shown_threshold
    if metaphor or "metonymy" in analysis.tasks:
        data["figures"] = figures_to_dicts(analysis)
    if "metonymy" in analysis.tasks:
        data["names"] = [
            {"start": name.start, "end": name.end, "class": name.name_class}
            for name in analysis.names
        ]
        data["metonymies"] = metonymies_to_dicts(analysis)
    if "sentiment" in analysis.tasks:
        data["sentiment"] = sentiment_to_dict(analysis)
    return data


def relations_to_dicts(analysis: Analysis) -> list[dict[str, Any]]:
    """The relations of an analysis as plain data, with the score of the verb if there is one."""
    return [_relation(relation, analysis) for relation in analysis.relations]


def figures_to_dicts(analysis: Analysis) -> list[dict[str, Any]]:
    """What a reader would call figurative, as plain data."""
    return [_figure(figure) for figure in analysis.figures]


def metonymies_to_dicts(analysis: Analysis) -> list[dict[str, Any]]:
    """The names of an analysis with their readings, as plain data."""
    return [_metonymy(name) for name in analysis.metonymies]


def sentiment_to_dict(analysis: Analysis) -> dict[str, Any] | None:
    """The sentiment of the text, as plain data; None for a text without words."""
    found = analysis.sentiment
    if found is None:
        return None
    return {"score": found.score, "integer": found.integer, "scale": found.scale}


def to_json(analysis: Analysis, *, name: str = "", indent: int = 0) -> str:
    """The analysis as a JSON object, with `name` as its "id" if there is one; one line unless
    an indent is given.

    A lone surrogate, which no UTF-8 file can hold, is written as its escape.
    """
    data = {"id": name, **to_dict(analysis)} if name else to_dict(analysis)
    try:
        encoded = msgspec.json.encode(data)
    except UnicodeEncodeError:
        separators = (",", ": ") if indent else (",", ":")
        loose = json.dumps(data, ensure_ascii=False, indent=indent or None, separators=separators)
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", loose)
    return (msgspec.json.format(encoded, indent=indent) if indent else encoded).decode()


def to_notebook(analysis: Analysis) -> str:
    """The analysis as HTML for a notebook, by the package that renders."""
    html: str = import_module("trope.render.html").fragment(analysis)
    return html


def expression(relation: Relation, analysis: Analysis) -> str:
    """The words of a relation as they stand in the text."""
    start, end = _span(relation, analysis)
    return analysis.text[start:end]


def _token(token: Token, syntax: bool, metaphor: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"text": token.text, "start": token.start, "end": token.end}
    if syntax:
        data |= {
            "upos": token.upos,
            "xpos": token.xpos,
            "lemma": token.lemma,
            "head": token.head,
            "deprel": token.deprel,
        }
    if metaphor:
        data["metaphor"] = token.metaphor
        data["noticed"] = token.noticed
        data["novelty"] = token.novelty
    return data


def _figure(figure: Figure) -> dict[str, Any]:
    """A figure with what is known of its kind; the rest is left out."""
    data: dict[str, Any] = {
        "kind": figure.kind,
        "start": figure.start,
        "end": figure.end,
        "tokens": list(figure.tokens),
        "score": figure.score,
        "novelty": figure.novelty,
    }
    more = {"meaning": figure.meaning, "stands_for": figure.stands_for, "domain": figure.domain}
    parts = {"topic": figure.topic, "vehicle": figure.vehicle, "ground": figure.ground}
    data |= {name: value for name, value in more.items() if value}
    return data | {name: list(places) for name, places in parts.items() if places}


def _relation(relation: Relation, analysis: Analysis) -> dict[str, Any]:
    start, end = _span(relation, analysis)
    places = {"verb": relation.verb, "subject": relation.subject, "object": relation.object}
    metaphor = "metaphor" in analysis.tasks
    score = {"metaphor": analysis.tokens[relation.verb].metaphor} if metaphor else {}
    return {
        "kind": relation.kind,
        **places,
        "particle": relation.particle,
        "root": relation.root,
        "kept": relation.kept,
        "reason": relation.reason,
        "negated": relation.negated,
        "passive": relation.passive,
        "verb_class": relation.verb_class,
        **score,
        "words": {
            role: None if place is None else analysis.tokens[place].text
            for role, place in places.items()
        },
        "start": start,
        "end": end,
        "expression": analysis.text[start:end],
    }


def _metonymy(name: Metonymy) -> dict[str, Any]:
    return {
        "start": name.start,
        "end": name.end,
        "class": name.name_class,
        "reading": name.reading,
        "score": name.score,
        "stands_for": name.stands_for,
    }


def _span(relation: Relation, analysis: Analysis) -> tuple[int, int]:
    return analysis.tokens[relation.start].start, analysis.tokens[relation.end - 1].end
