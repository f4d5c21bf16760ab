"""What the workbench says no with."""

from __future__ import annotations

from trope.core.errors import BadInput


class Refused(BadInput):
    """A request that is not answered: an HTTP status, a code for programs, words for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(status, code, message)
        self.status, self.code, self.message = status, code, message

    def __str__(self) -> str:
        return self.message
