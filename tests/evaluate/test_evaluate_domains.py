"""`trope evaluate domains`, on texts of our own in the form of the corpus."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from trope.core.errors import BadInput, MissingData
from trope.evaluate.domains import evaluate, porter_stem
from trope.evaluate.options import EvaluationOptions

_COLUMNS = ("id", "text", "span1", "words", "guess", "label", "name", "group")
_TRAIN = [
    ("The party fights for taxes .", (2, 3), "WAR"),
    ("They fight a battle over taxes .", (1, 2), "WAR"),
    ("They fight the fire .", (1, 2), "FIRE"),
    ("Reform blooms in spring .", (1, 2), "PLANT"),
    ("Anger burns in the streets .", (1, 2), "FIRE"),
]
_DEV = [
    ("We are fighting the budget .", (2, 3), "WAR"),
    ("Hope blooms again .", (1, 2), "PLANT"),
    ("A tiger of a bill .", (1, 2), "ANIMAL"),
    ("The flames of protest spread .", (1, 2), "FIRE"),
]
_GROUPS = {
    "WAR": "WAR & CONFLICT",
    "FIRE": "FIRE & ENERGY",
    "PLANT": "PLANT",
    "ANIMAL": "ANIMAL",
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "lcc-domains"
    folder.mkdir()
    for split, rows in (("train", _TRAIN), ("dev", _DEV)):
        with gzip.open(folder / f"source_{split}.csv.gz", "wt", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(_COLUMNS)
            for number, (text, (start, end), name) in enumerate(rows):
                words = " ".join(text.split()[start:end])
                label = list(_GROUPS).index(name)
                span = f"[{start}, {end}]"
                own = (f"s-{split}-{number}", text, span, words, "", label, name, _GROUPS[name])
                writer.writerow(own)
    (folder / "leaks.tsv").write_text("file\tid\tagainst\nsource_train\ts-train-4\theld\n")
    return tmp_path


def _values(data: Path, *parts: str) -> dict[str, float | None]:
    found = evaluate(EvaluationOptions(data=data, parts=parts, threads=1, quiet=True))
    return {figure.name.removeprefix("domains.lcc.dev."): figure.value for figure in found.figures}


def test_controls_answer_with_what_is_most_frequent_in_train(data: Path) -> None:
    found = _values(data, "lookup", "majority")
    assert found["majority.name.accuracy"] == 0.25  # WAR
    assert found["lookup.group.accuracy"] == 0.5  # fighting and blooms; flames has another stem
    assert found["lookup.unseen.name.accuracy"] == 0.0
    # F is 1 for WAR and PLANT, 0 for ANIMAL and FIRE; an empty answer is no class
    assert found["lookup.name.macro_f1"] == 0.5
    assert found["majority.name.macro_f1"] == pytest.approx(0.4 / 4)


def test_the_free_system_names_groups_alone(data: Path) -> None:
    found = _values(data, "free")
    assert found["free.group.accuracy"] == 1.0
    assert not any(".name." in name for name in found)


def test_rows_that_leak_are_not_looked_up(data: Path) -> None:
    dev = data / "lcc-domains" / "source_dev.csv.gz"
    text = gzip.decompress(dev.read_bytes()).decode().replace("flames of", "burning of")
    dev.write_bytes(gzip.compress(text.replace(",flames,", ",burning,").encode()))
    assert _values(data, "lookup")["lookup.group.accuracy"] == 0.5


def test_missing_data_and_systems_are_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="trope data info lcc-domains says how"):
        evaluate(EvaluationOptions(data=tmp_path / "nothing", threads=1))
    with pytest.raises(BadInput, match="trope-domains"):
        evaluate(EvaluationOptions(data=data, detector=tmp_path, threads=1))


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        *(("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("hopping", "hop")),
        *(("falling", "fall"), ("filing", "file"), ("relational", "relat"), ("sky", "sky")),
        *(("generalizations", "gener"), ("oscillators", "oscil"), ("adoption", "adopt")),
        *(("rate", "rate"), ("cease", "ceas"), ("controlling", "control"), ("happy", "happi")),
    ],
)
def test_stems_are_porters(word: str, stem: str) -> None:
    assert porter_stem(word) == stem
