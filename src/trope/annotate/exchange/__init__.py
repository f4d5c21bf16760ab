"""Files in and out: items, judgments, and the formats of other tools."""
