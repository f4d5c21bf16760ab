"""Requests: how much one may contain, how long one may take, and how one is refused."""

from __future__ import annotations

import re
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from trope.core.errors import BadInput
from trope.core.records import TextKind

BODY_LIMIT = 2_000_000
"""Most bytes of a request; a larger one is not read."""

TEXT_LIMIT = 200_000
"""Most characters of a text, about 35,000 words; `trope analyze` has no limit."""

REWRITING_LIMIT = 5_000
"""Most characters of a text to rewrite: ranking candidates takes longer than analysing."""

ANSWER_S = 120.0
"""Seconds that a request may wait for the model, including its time in the queue."""

WAITING = 4
"""Requests that may wait for the model while it is busy."""

THREADS = 8
"""Requests served at a time; more than may wait for the model, so that pages stay available."""

FurtherTask = Literal["metonymy", "domains", "sentiment"]


class BringChoices(msgspec.Struct, frozen=True, kw_only=True):
    """How the files of a corpus are read, and what is looked for besides metaphors."""

    kind: TextKind = "plain"
    column: str = ""
    tasks: tuple[FurtherTask, ...] = ()


_FILE_FIRST = re.compile(r"\S+: |.{1,200}?\.\w{1,8}(:\d+)?: ")


def as_sentence(message: str) -> str:
    """A message with a capital letter, unless it begins with the name of a file."""
    return message if _FILE_FIRST.match(message) else f"{message[:1].upper()}{message[1:]}"


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_BOUND = re.compile(r"Expected (?:int|float) (>=|<=|>|<) (\S+)")
_LENGTH = re.compile(r"Expected (str|array) of length (>=|<=) (\d+)")
_TYPE = re.compile(r"Expected (\w+)")
_FIELD = re.compile(r"Object (missing required|contains unknown) field (\w+)")
_BOUNDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}


class RequestRefused(BadInput):
    """A request that is not answered: an HTTP status, a code for programs, a message for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(status, code, message)
        self.status, self.code, self.message = status, code, message

    def __str__(self) -> str:
        return self.message


class BadField(BadInput):
    """A field of a request with a value that cannot be used."""

    def __init__(self, field: str, problem: str, given: Any = None) -> None:
        super().__init__(field, problem, given)
        self.field, self.problem, self.given = field, problem, given

    def sentence(self, name: str = "") -> str:
        """The fault in words; `name` is what a page calls the field."""
        given = "" if self.given is None else f", you gave {self.given!r}"
        return f"{name or self.field} {self.problem}{given}"

    def __str__(self) -> str:
        return self.sentence()


def convert_fields(fields: Any, kind: type[Any], *, strict: bool = True) -> Any:
    """The fields as a record of a type.

    Raises:
        BadField: a field is unknown, missing or has a wrong value.
    """
    try:
        return msgspec.convert(fields, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise _bad_field(str(error), fields, kind) from None


def _bad_field(message: str, fields: Any, kind: type[Any]) -> BadField:
    problem, _, place = message.replace("`", "").partition(" - at $")
    known = ", ".join(field.encode_name for field in msgspec.structs.fields(kind))
    if found := _FIELD.match(problem):
        missing = found[1].startswith("missing")
        return BadField(found[2], "is missing" if missing else f"is not a field (fields: {known})")
    field = re.split(r"[.\[]", place.lstrip("."))[0]
    if not field:
        return BadField("the request", "must be an object with fields", None)
    given = fields.get(field) if isinstance(fields, dict) else None
    shown = given if isinstance(given, str | int | float) and len(str(given)) <= 60 else None
    return BadField(field, _requirement(problem, kind, field), shown)


def _requirement(problem: str, kind: type[Any], field: str) -> str:
    if found := _BOUND.match(problem):
        return f"must be {_BOUNDS[found[1]]} {found[2].removesuffix('.0')}"
    if found := _LENGTH.match(problem):
        unit = "character" if found[1] == "str" else "entry"
        plural = "" if found[3] == "1" else "s" if unit == "character" else "ies"
        unit = unit if not plural or unit == "character" else "entr"
        return f"must have {_BOUNDS[found[2]]} {int(found[3]):,} {unit}{plural}"
    if problem.startswith("Invalid enum value"):
        return f"must be one of {', '.join(_choices(kind, field))}"
    found = _TYPE.match(problem)
    return f"must be {_KINDS.get(found[1] if found else '', 'of another type')}"


def _choices(kind: type[Any], field: str) -> list[str]:
    """The values that a field may have."""
    names = {one.encode_name: one.name for one in msgspec.structs.fields(kind)}
    return [value for value in literals(get_type_hints(kind)[names[field]]) if value]


def literals(hint: Any) -> list[str]:
    """The values that the literals of a type allow."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [value for part in get_args(hint) for value in literals(part)]
