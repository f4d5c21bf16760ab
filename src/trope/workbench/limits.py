"""How much a request may bring, and how long anything may take."""

from __future__ import annotations

BODY_LIMIT = 2_000_000
"""Bytes of a request; nothing of a larger one is read."""

TEXT_LIMIT = 200_000
"""Characters of a text, some 35,000 words; `trope analyze` and `trope detect` take any number."""

REWRITING_LIMIT = 5_000
"""Characters of a text whose verbs are rewritten, each of which takes longer than a reading."""

READING_S = 10.0
"""Seconds in which a request must have arrived, its headers and then its body."""

ANSWER_S = 120.0
"""Seconds that a request waits for the model, its turn included."""

WAITING = 4
"""Requests that may wait for the model while it works for another."""

THREADS = 8
"""Requests at a time; more than may wait for the model, so that pages are there meanwhile."""
