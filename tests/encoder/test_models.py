"""Weight files that are missing, altered or of another kind: errors that name them and a cure."""

from pathlib import Path
from shutil import copyfile

import pytest

from trope import Pipeline
from trope.core.errors import BadModel, MissingData, UnknownName
from trope.encoder import session
from trope.encoder.models import check_files, known_models, model_folder
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import FILES

every_file = pytest.mark.parametrize("name", FILES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The weights, in a folder of their own."""
    for name in FILES:
        copyfile(model_folder("small") / name, tmp_path / name)
    return tmp_path


def test_every_file_of_the_shipped_model_is_known_and_right(folder: Path) -> None:
    assert {file.name for file in known_models()["small"].files} == set(FILES)
    check_files(folder, known_models()["small"])


@every_file
def test_a_missing_file_is_named_with_a_cure(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(MissingData) as missing:
        check_files(folder, known_models()["small"])
    assert missing.value.path == str(folder / name)
    assert "not found; install trope again: pip install" in str(missing.value)


@every_file
@pytest.mark.parametrize("place", [0, 0.5, 1], ids=["first", "middle", "last"])
def test_an_altered_byte_is_found(folder: Path, name: str, place: float) -> None:
    path = folder / name
    at = int(place * (path.stat().st_size - 1))
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(BadModel, match="differs from the file that was released; install") as bad:
        check_files(folder, known_models()["small"])
    assert bad.value.path == str(path)


@every_file
def test_a_truncated_file_is_found(folder: Path, name: str) -> None:
    with (folder / name).open("r+b") as file:
        file.truncate(1_000)
    with pytest.raises(BadModel, match=f"{name}: differs"):
        check_files(folder, known_models()["small"])


def test_an_unknown_tier_is_told_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r"no tier is called 'smal'\. Did you mean 'small'"):
        Pipeline(tier="smal")


def test_a_model_in_a_folder_of_its_own_is_read(folder: Path) -> None:
    (parse,) = Pipeline(folder=folder, threads=1).parse([["Rain", "ate", "roads"]])
    assert parse.deprels == ("nsubj", "root", "obj")


@every_file
def test_a_folder_without_one_of_the_files_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(MissingData, match=f"{name}: not found; give a folder"):
        Pipeline(folder=folder)


@pytest.mark.parametrize("name", ["encoder.onnx", "labeller.onnx"])
@pytest.mark.parametrize("content", [b"no network\n", b"", None], ids=["text", "empty", "half"])
def test_a_file_that_is_no_onnx_is_a_bad_model(
    folder: Path, name: str, content: bytes | None
) -> None:
    path = folder / name
    if content is None:
        content = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(content)
    with pytest.raises(BadModel) as bad:
        Pipeline(folder=folder, threads=1).parse([["Rain"]])
    assert bad.value.path == str(path)
    assert "\n" not in str(bad.value)
    assert str(bad.value).endswith("; train or install it again")


def test_labels_of_another_make_are_a_bad_model(folder: Path) -> None:
    (folder / "labels.json").write_text('{"upos": ["NOUN"]}')
    with pytest.raises(BadModel, match=r"labels.json: holds no labels \(.*xpos.*\); train"):
        Pipeline(folder=folder)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff\xfe", "is not a vocabulary"),
        (b"", "is not a vocabulary"),
        (b"[SEP]\n[CLS]\n", "has no piece"),
    ],
)
def test_vocabulary_that_is_none_is_refused(content: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(content)
    with pytest.raises(BadModel, match=problem):
        Vocabulary(tmp_path / "vocab.txt")


@pytest.mark.parametrize(
    "content", [b"\xff", b"[" * 100_000, b'{"upos":[],"xpos":[],"deprels":[],"lemma_rules":[]}']
)
def test_labels_that_are_none_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "labels.json").write_bytes(content)
    with pytest.raises(BadModel, match="train or install it again"):
        session._read_labels(tmp_path / "labels.json")
