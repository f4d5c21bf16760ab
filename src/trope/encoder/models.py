"""The models there are: their files, checksums and origin, from `models.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from trope.core.config import read_config
from trope.core.errors import BadModel, MissingData, UnknownName
from trope.core.files import sha256


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class TrainedOn:
    """A corpus that a model was trained on, and what that means for users."""

    name: str
    use: str
    licence: str


@dataclass(frozen=True, slots=True)
class RecordedQuality:
    """A figure that was measured of a model, with its interval, as `docs/figures.json` has it."""

    figure: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class TierModel:
    """One tier: what it is, where it comes from, what it was trained on, how it was chosen."""

    summary: str
    base: str
    base_licence: str
    licence: str
    seed: int
    files: tuple[ModelFile, ...]
    trained_on: tuple[TrainedOn, ...]
    chosen_on: str = ""
    quality: tuple[RecordedQuality, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelsFile:
    """The whole of `models.toml`."""

    models: dict[str, TierModel]


@cache
def known_models() -> dict[str, TierModel]:
    """All models by tier."""
    return read_config(Path(str(files("trope.encoder") / "models.toml")), ModelsFile).models


@cache
def model_folder(tier: str) -> Path:
    """The folder of a tier's files, after their checksums were compared.

    Raises:
        MissingData: a file is not there.
        BadModel: a file is not the one that the package was built with.
    """
    models = known_models()
    if tier not in models:
        raise UnknownName("tier", tier, tuple(models))
    folder = Path(str(files("trope.encoder") / "weights" / tier))
    check_files(folder, models[tier])
    return folder


def check_files(folder: Path, model: TierModel) -> None:
    """Compare every file of a model with its size and checksum."""
    for file in model.files:
        path = folder / file.name
        remedy = "install trope again: pip install --force-reinstall trope"
        if not path.is_file():
            raise MissingData(path, remedy)
        if path.stat().st_size != file.bytes or sha256(path) != file.sha256:
            raise BadModel(path, f"differs from the file that was released; {remedy}")
