"""How well verbs go with their surroundings: subjects, objects, particles and patterns.

A verb and what stands around it ("obj=deal", "subj=court", "frame=obl:to") each have a vector whose
product is near their pointwise mutual information, learnt from the trees of many headlines. Only
these vectors ship, no text; `trope train associations` makes them. `verb_contexts` names the
surroundings in training and in use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadModel
from trope.core.records import Parse

SHIPPED = Path(__file__).with_name("associations.npz")
GROUPS = ("obj", "subj", "frame")
"""What a context may be: an object, a subject, or a pattern of the sentence."""

Array = npt.NDArray[np.float32]


def verb_contexts(parse: Parse, at: int) -> list[str]:
    """What stands around a verb, each with the group it belongs to in front."""
    found: list[str] = []
    has_object = False
    for child, head in enumerate(parse.heads):
        if head != at:
            continue
        relation = parse.deprels[child]
        noun = "PROPN" if parse.upos[child] == "PROPN" else parse.lemmas[child].lower()
        if relation in ("obj", "nsubj:pass"):
            has_object = True
            found.append(f"obj={noun}")
        elif relation in ("nsubj", "csubj"):
            found.append(f"subj={noun}")
        elif relation == "compound:prt":
            found.append(f"frame=prt:{noun}")
        elif relation == "obl":
            found.append(f"frame=obl:{_preposition(parse, child)}")
        elif relation in ("xcomp", "ccomp", "iobj"):
            found.append(f"frame={relation}")
    found.append("frame=obj" if has_object else "frame=no-obj")
    return found


def _preposition(parse: Parse, noun: int) -> str:
    cases = (
        parse.lemmas[child].lower()
        for child, head in enumerate(parse.heads)
        if head == noun and parse.deprels[child] == "case"
    )
    return next(cases, "-")


class Associations:
    """Vectors of verbs and of contexts."""

    def __init__(
        self, verbs: Sequence[str], counts: npt.ArrayLike, table: Array, contexts: dict[str, Array]
    ) -> None:
        self._rows = {verb: row for row, verb in enumerate(verbs)}
        self._counts = np.asarray(counts, dtype=np.float32)
        self._table = table
        self._contexts = contexts

    def vectors(self, verbs: Sequence[str]) -> Array:
        """[verb, dimension]; zeros for unknown ones."""
        found = np.zeros((len(verbs), self._table.shape[1]), dtype=np.float32)
        for place, verb in enumerate(verbs):
            if (row := self._rows.get(verb)) is not None:
                found[place] = self._table[row]
        return found

    def count(self, verb: str) -> float:
        """How often the verb was seen."""
        row = self._rows.get(verb)
        return 0.0 if row is None else float(self._counts[row])

    def query(self, contexts: Iterable[str], group: str) -> Array:
        """The mean vector of the known contexts of a group; zeros where there are none."""
        known = [
            self._contexts[context]
            for context in contexts
            if context.startswith(f"{group}=") and context in self._contexts
        ]
        if not known:
            return np.zeros(self._table.shape[1], dtype=np.float32)
        mean: Array = np.mean(known, axis=0)
        return mean


@cache
def read_associations(path: Path = SHIPPED) -> Associations:
    """The associations of a file, read once; without one, those that ship.

    Raises:
        BadModel: for a file that holds none.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            verbs, contexts = (
                bytes(arrays[name]).decode().split("\n") for name in ("verbs", "contexts")
            )
            table, around = (
                arrays[f"{name}_q"].astype(np.float32) * arrays[f"{name}_scale"][:, None]
                for name in ("verb", "context")
            )
            return Associations(
                verbs, arrays["counts"], table, dict(zip(contexts, around, strict=True))
            )
    except (KeyError, ValueError, OSError) as error:
        raise BadModel(path, f"holds no associations ({error}); install trope again") from None
