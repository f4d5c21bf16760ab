"""Gold and gold+ of one's own, in three parts: what a detector is retrained with and judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from trope.corpora.newsmet import Headline, Reading
from trope.tasks.metaphor.silver_sources import gold_plus_run, json_lines

Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = ("train", "validation", "test")
SIMULATED = "simulated"
"""What stands in the name of everything that a simulated crowd has to do with."""


@dataclass(frozen=True, slots=True)
class OwnGold:
    """Headlines with their transformations, by part, and the checksums of their files."""

    parts: Mapping[Part, tuple[Headline, ...]]
    simulated: bool
    files: Mapping[str, str]

    @property
    def crowd(self) -> str:
        """Whose labels they are."""
        return SIMULATED if self.simulated else "own"

    @property
    def test_set(self) -> str:
        """The name of what is predicted."""
        return f"{self.crowd}_test"

    def run(self, reading: Reading) -> str:
        """The name of the training with gold+ read in this way."""
        return f"{gold_plus_run(reading)}_{self.crowd}"

    def read(self, part: Part, reading: Reading = "all_six") -> list[Headline]:
        """The headlines of a part, with or without rejected candidates."""
        return [h for h in self.parts[part] if reading == "all_six" or h.accepted is not False]

    def texts(self) -> dict[str, list[str]]:
        """Part → its texts, under names that tell them from NewsMet's."""
        return {f"{self.crowd} {part}": [h.text for h in self.parts[part]] for part in PARTS}

    def lines_to_predict(self) -> str:
        """The test part as JSON lines: set, id and text, no label."""
        rows = ({"set": self.test_set, "id": h.id, "text": h.text} for h in self.parts["test"])
        return json_lines(rows)
