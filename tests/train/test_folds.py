"""`trope train encoder --folds`: every row is judged by a network that did not learn it."""

import gzip
from pathlib import Path

import pytest
import tiny
from click.testing import CliRunner

from trope.cli.main import main
from trope.core.errors import BadInput, BadModel, MissingData

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[train]')")
pytest.importorskip("transformers")

from test_train_encoder import SETTINGS  # noqa: E402

from trope.train.encoder import folds, run  # noqa: E402
from trope.train.encoder.corpus import EncodedCorpus  # noqa: E402
from trope.train.encoder.folds import (  # noqa: E402
    FOLDS,
    fold_of,
    predictions_file,
    read_fold_predictions,
)
from trope.train.encoder.name_sets import coarse_samples  # noqa: E402

PLACES = ("Peru", "Chad", "Fiji", "Oman", "Cuba", "Malta", "Nepal", "Qatar", "Kenya", "Ghana")
NOUNS = ("ice", "beans", "bullet", "sack", "rat", "wall", "bucket", "towel", "fan", "road")
IDIOMS = tuple(f"{verb} the {noun}" for verb in ("kick", "hit") for noun in NOUNS)
LEAKED = "idiom-2"


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    tiny.shrink(monkeypatch, run)


def write_sets(data: Path) -> None:
    """ReLocaR, and idioms of MAGPIE and EPIE, with sentences of our own."""
    (data / "metonymy").mkdir()
    samples = "".join(
        f'<sample number="{n}a">He lives in <loc reading="lit">{place}</loc> now.</sample>\n'
        f'<sample number="{n}b"><loc reading="met">{place}</loc> signed the treaty.</sample>\n'
        for n, place in enumerate(PLACES)
    )
    (data / "metonymy" / "ReLocaR_Train.xml").write_text(f"<samples>\n{samples}</samples>\n")
    folder = data / "idiom-sentences"
    folder.mkdir()
    epie = ["id\tidiom\tlabel\twords\ttags"]
    magpie = ["id\tidiom\tlabel\tspan\twords"]
    for n, idiom in enumerate(IDIOMS):
        words = f"They {idiom} again ."
        tags = f"O B-IDIOM{' I-IDIOM' * (len(idiom.split()) - 1)} O O"
        epie.append(f"idiom-{n}\t{idiom.replace('the', '[pron]')}\t{n % 2}\t{words}\t{tags}")
        magpie.append(f"magpie-{n}\t{idiom}\tliteral\t1:{1 + len(idiom.split())}\t{words}")
    for name, rows in (("epie-formal", epie), ("magpie-typebased-dev", magpie)):
        packed = gzip.compress(("\n".join(rows) + "\n").encode())
        (folder / f"{name}.tsv.gz").write_bytes(packed)
    for name, leaks in (("metonymy", ""), ("idiom-sentences", f"epie-formal\t{LEAKED}\theld\n")):
        (data / name / "leaks.tsv").write_text(f"file\tid\tagainst\n{leaks}")


def train(folder: Path, name: str, *options: str, what: str = "encoder") -> str:
    data, settings = folder / "data", folder / "folds.toml"
    if not data.exists():
        write_sets(tiny.write_data(data))
        first, second = (SETTINGS.index(f"[[teachers.{t}.fits]]") for t in ("syntax", "metaphor"))
        more = "".join(
            SETTINGS[first:second].replace(".syntax", f".{task}")
            for task in ("metonymy", "figures")
        )
        text = SETTINGS.replace("[[sets]]", more + "[[sets]]", 1)
        for own, use in (("relocar", "metonymy"), ("idiom-sentences", "figures")):
            text += f'[[sets]]\nname = "{own}"\nuse = "{use}"\nlicence = "own"\n'
            text += "teacher_passes = 1\nstudent_passes = 2\nbase_passes = 1\n"
        settings.write_text(text)
    arguments = ["--from", str(data), "--out", str(folder / "out"), "--config", str(settings)]
    command = ["train", what, *arguments, "--device", "cpu", "--without", "coinco", "--folds", name]
    result = CliRunner().invoke(main, [*command, *options])
    if isinstance(result.exception, Exception):
        raise result.exception
    assert result.exit_code == 0
    return result.stderr


def test_every_name_is_judged_once_by_a_network_that_did_not_learn_it(tmp_path: Path) -> None:
    said = train(tmp_path, "relocar")
    assert "fold 5 of 5" in said
    assert "metonymy teacher 1" not in said  # one teacher per fold, whatever the settings say
    found = read_fold_predictions(tmp_path / "out", "relocar", "small")
    assert sorted(row.id for row in found.rows) == sorted(
        f"{n}{kind}" for n in range(len(PLACES)) for kind in "ab"
    )
    assert found.thresholds == [0.5] * FOLDS
    assert all(0 <= share <= 1 for row in found.rows for share in row.scores)
    for row in found.rows:
        assert row.fold == fold_of(PLACES[int(row.id[:-1])])
    for number in range(FOLDS):
        work = tmp_path / "out/work/folds-relocar" / str(number)
        learnt = EncodedCorpus.load(work / "relocar.npz")
        left_out = sum(row.fold == number for row in found.rows)
        assert len(learnt) == 3 * (len(found.rows) - left_out)
    assert "step" not in train(tmp_path, "relocar")  # finished folds are not trained again
    train(tmp_path, "relocar", "--work", str(tmp_path / "out/work"), what="base")
    assert read_fold_predictions(tmp_path / "out", "relocar", "base").tier == "base"
    with pytest.raises(BadModel, match="by the tier base, not of relocar by small"):
        read_fold_predictions(tmp_path / "out", "relocar", "small")


def test_idioms_of_a_fold_are_in_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # of so few idioms, every third is development data
    monkeypatch.setattr(folds, "in_dev", lambda group: len(group) % 3 == 0)
    train(tmp_path, "idiom-sentences")
    found = read_fold_predictions(tmp_path / "out", "idiom-sentences", "small")
    assert LEAKED not in {row.id for row in found.rows}
    assert len(found.rows) == 2 * len(IDIOMS) - 1
    assert len({(row.id.split("-")[1], row.fold) for row in found.rows}) == len(IDIOMS)
    assert all(len(row.scores) == 6 for row in found.rows)


def test_the_same_idiom_of_two_lists_is_in_one_fold() -> None:
    assert fold_of("bite the bullet") == fold_of("Bite [pron] bullet")
    assert len({fold_of(f"idiom {n}") for n in range(50)}) == FOLDS


def test_what_cannot_be_folded_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="no set with folds is called 'ewt'"):
        train(tmp_path, "ewt")
    with pytest.raises(BadInput, match="--folds relocar: this set is left out"):
        train(tmp_path, "relocar", "--without", "relocar", "--work", str(tmp_path / "other"))


def test_predictions_that_are_missing_or_damaged(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="trope train encoder --folds relocar"):
        read_fold_predictions(tmp_path, "relocar", "small")
    predictions_file(tmp_path, "relocar").write_text("{}")
    with pytest.raises(BadModel, match="holds no predictions"):
        read_fold_predictions(tmp_path, "relocar", "small")


@pytest.mark.shared
def test_the_rows_of_other_tests_are_in_no_fold(shared: Path) -> None:
    samples = coarse_samples(shared / "data", "relocar")
    assert len(samples) == 1025
    assert "561" not in {sample.id for sample in samples}
