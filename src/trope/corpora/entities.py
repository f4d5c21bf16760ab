"""Characters that old XML files write as names, from a fixed table.

Nothing that a document declares is ever expanded: no DTD is read, and a reference that the table
does not have is refused. The names are those of HTML, with BNC's own and ISO's Greek letters.
"""

from __future__ import annotations

import re
from html.entities import html5

from trope.core.errors import BadInput

_GREEK = {
    "a": "α", "b": "β", "g": "γ", "d": "δ", "e": "ε", "z": "ζ", "ee": "η", "th": "θ", "i": "ι",
    "k": "κ", "l": "λ", "m": "μ", "n": "ν", "x": "ξ", "o": "ο", "p": "π", "r": "ρ", "s": "σ",
    "t": "τ", "u": "υ", "ph": "φ", "kh": "χ", "ps": "ψ", "oh": "ω",
}  # fmt: skip
ENTITIES: dict[str, str] = {
    **{name.removesuffix(";"): text for name, text in html5.items() if name.endswith(";")},
    **{f"{name}gr": letter for name, letter in _GREEK.items()},
    **{f"{name.upper()}gr": letter.upper() for name, letter in _GREEK.items()},
    "bquo": "“", "equo": "”", "rehy": "\u00ad", "ft": "′", "ins": "″", "shilling": "/-",
    "formula": "[formula]", "circ": "^", "tilde": "~",
    "frac17": "1/7", "frac19": "1/9", "frac47": "4/7",
}  # fmt: skip
"""Name → characters."""

_REFERENCE = re.compile(r"&(#x[0-9A-Fa-f]+|#[0-9]+|[A-Za-z][A-Za-z0-9.]*);")
_LAST_CODE_POINT = 0x10FFFF


def decode_entities(text: str) -> str:
    """The text with its references replaced, once; an ampersand that begins none stays.

    Raises:
        BadInput: for a reference that the table does not have.
    """
    return _REFERENCE.sub(lambda match: _character(match[1]), text)


def _character(name: str) -> str:
    if not name.startswith("#"):
        if name not in ENTITIES:
            raise BadInput(f"unknown entity '&{name};'; entities of a document are never expanded")
        return ENTITIES[name]
    digits = name[1:]
    number = int(digits[1:], 16) if digits.startswith("x") else int(digits[:9])
    is_text = 0 < number <= _LAST_CODE_POINT and not 0xD800 <= number <= 0xDFFF
    if not is_text or (number < 32 and number not in (9, 10, 13)):
        raise BadInput(f"'&{name};' is no character; write the character itself")
    return chr(number)
