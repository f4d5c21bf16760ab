"""Whether a measured number is the printed one: the printed digits say how exact it has to be."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal, InvalidOperation

_ROUGHLY = ("about ", "almost ", "~")


def printed_number(printed: str) -> Decimal | None:
    """The number that is printed, None where it is none ("52k", "undef", "yes").

    A printed "about" makes a number no other number.
    """
    for word in _ROUGHLY:
        printed = printed.removeprefix(word)
    try:
        return Decimal(printed.replace(",", "").replace("−", "-").removesuffix("%").strip())
    except InvalidOperation:
        return None


def rounds_to(ours: float, printed: str) -> bool:
    """Whether ours, written with as many decimals, is what is printed (half a unit either way)."""
    wanted = printed_number(printed)
    if wanted is None:
        return False
    unit = Decimal(1).scaleb(int(wanted.as_tuple().exponent))
    return abs(Decimal(repr(ours)) - wanted) <= unit / 2


def is_cut_off(ours: float, printed: str) -> bool:
    """Whether ours, cut off after as many decimals instead of rounded, is what is printed."""
    wanted = printed_number(printed)
    if wanted is None:
        return False
    unit = Decimal(1).scaleb(int(wanted.as_tuple().exponent))
    return Decimal(repr(ours)).quantize(unit, ROUND_DOWN) == wanted
