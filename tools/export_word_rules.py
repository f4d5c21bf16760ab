"""Writes spaCy's tables for English words into the package, which then cuts without spaCy.

    python tools/export_word_rules.py

Run it to take over the tables of another version of spaCy, and then `benchmarks/words.py`, which
compares every word with spaCy's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parents[1] / "src/trope/text/spacy_tables.json"


def read_tables() -> dict[str, Any]:
    """The tables of the installed spaCy, less emoticons, which we find ourselves."""
    import spacy
    from spacy.lang.en import English
    from spacy.lang.tokenizer_exceptions import emoticons
    from spacy.symbols import ORTH

    data = English.Defaults
    exceptions = {
        word: [part[ORTH] for part in parts]
        for word, parts in sorted(data.tokenizer_exceptions.items())
        if word not in emoticons and not any(map(str.isspace, word))
    }
    return {
        "source": f"spaCy {spacy.__version__}, language English, MIT licence",
        "prefixes": list(data.prefixes),
        "suffixes": list(data.suffixes),
        "infixes": list(data.infixes),
        "exceptions": exceptions,
    }


def main() -> int:
    """Write the file."""
    text = json.dumps(read_tables(), ensure_ascii=False, indent=0)
    TABLES.write_text(text + "\n", encoding="utf-8")
    print(TABLES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
