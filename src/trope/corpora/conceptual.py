"""Conceptual metaphors: example sentences of MetaNet and of the Master Metaphor List.

Every example is metaphorical; the lists hold no literal ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from trope.core.errors import BadRecord
from trope.core.files import decode
from trope.corpora.fields import Row, read_bytes
from trope.corpora.records import TextRecord
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows


def read_metanet_examples(source: Source) -> Iterator[TextRecord]:
    """Sentences of the table `#Source, #Target, #Sentence`, parted by tabs; ids count the rows."""
    name = source_name(source)
    rows = read_rows(source, format="tsv")
    for number, (line, fields) in enumerate(rows, start=1):
        row = Row(name, line, fields)
        yield TextRecord(
            str(number),
            row.text("#Sentence"),
            line,
            {"source": row.text("#Source"), "target": row.text("#Target")},
        )


def read_master_list(source: Source) -> Iterator[TextRecord]:
    """The sentences of either JSON file of the list, wherever they are nested; ids count them.

    Raises:
        BadRecord: where the file is no JSON, or an example is no text.
    """
    content = read_bytes(source)
    text = decode(content.getvalue(), content.name)
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadRecord(content.name, error.lineno, f"is no JSON ({error.msg})") from None
    for number, example in enumerate(_examples(entries, content.name), start=1):
        # a JSON document has no rows: the number of the example stands for a line
        yield TextRecord(str(number), example, number)


def _examples(value: Any, path: str) -> Iterator[str]:
    """The strings in all lists called `examples` or `Examples`, in order."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key.lower() == "examples":
                yield from _sentences(inner, path)
            elif isinstance(inner, list | dict):
                yield from _examples(inner, path)
    elif isinstance(value, list):
        for inner in value:
            yield from _examples(inner, path)


def _sentences(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        raise BadRecord(path, None, f"has {value!r} for a list of examples; give a list")
    for item in value:
        if isinstance(item, str) and item.strip():
            yield item.strip()
        elif isinstance(item, dict):
            yield from _examples(item, path)
        else:
            raise BadRecord(path, None, f"has the example {item!r}; examples are sentences")
