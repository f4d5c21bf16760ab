"""Folders of Hugging Face encoders with a head for words or for sequences: loading and saving.

Only safetensors are read. A folder that holds a pickle is refused: loading one can run any program,
and nothing here needs one. Needs torch and transformers alone, so that
training can run where the rest of trope is not.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from safetensors import SafetensorError
from torch import Tensor

from trope.core.errors import BadModel, DownloadFailed, MissingData
from trope.core.files import atomic_write, sha256

Level = Literal["words", "sentences"]
NOTES_FILE = "trope.json"
"""What a folder of ours says beyond what `transformers` reads."""
NO_ANSWER = -1

_PICKLES = frozenset({".bin", ".pkl", ".pickle", ".pt", ".pth", ".ckpt", ".joblib", ".dill"})
_WANTED_FROM_HUB = ["*.json", "*.txt", "*.model", "*.safetensors"]

_ROBERTA = "e2da8e2f811d1448a5b465c236feacd80ffbac7b"
PINNED = {"FacebookAI/roberta-base": _ROBERTA, "roberta-base": _ROBERTA}
"""The commit that is fetched of the Hub models that we name, where none is asked for."""


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A text as numbers: `owner` is the word of each piece (-1: none), empty for whole texts."""

    ids: tuple[int, ...]
    owner: tuple[int, ...] = ()
    answers: tuple[float, ...] = ()


def model_path(name_or_folder: str | Path) -> Path:
    """The folder of a model, fetched from the Hub (safe files only) where it is a name there.

    `NAME@REVISION` names a commit or tag of the Hub, so that the same files come tomorrow; a name
    alone means the commit in `PINNED`, or the latest one. `exact_name` says which it was.

    Raises:
        MissingData: for a path that is not there.
        DownloadFailed: for a name that the Hub does not give.
        BadModel: for a folder with a pickle in it, or without weights.
    """
    folder = Path(name_or_folder)
    if folder.is_dir():
        _refuse_pickles(folder)
    else:  # what others have fetched into the same cache is never read
        folder = _fetched(str(name_or_folder))
    if not (folder / "config.json").is_file():
        raise MissingData(folder / "config.json", "give the folder of a Hugging Face model")
    if not list(folder.glob("*.safetensors")):
        raise BadModel(folder, "holds no *.safetensors; save the model with safe_serialization")
    return folder


def _refuse_pickles(folder: Path) -> None:
    """Raise an error that names the first file which could be a pickle."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (path.suffix.lower() in _PICKLES or _begins_as_pickle(path)):
            raise BadModel(
                path,
                "may be a pickle, which can run any program when it is loaded; keep only "
                "safetensors in the folder",
            )


def _begins_as_pickle(path: Path) -> bool:
    """Whether a file is a pickle or an archive of some, as torch writes them, under any name."""
    with path.open("rb") as file:
        head = file.read(2)
    if head == b"PK" and zipfile.is_zipfile(path):
        try:
            with zipfile.ZipFile(path) as archive:
                return any(name.endswith(".pkl") for name in archive.namelist())
        except (zipfile.BadZipFile, ValueError, NotImplementedError):
            return True  # what cannot be looked into is not trusted
    return len(head) == 2 and head[0] == 0x80 and 2 <= head[1] <= 5  # the binary protocols


def _fetched(name: str) -> Path:
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise MissingData(name, "give a folder, or a model of the Hub such as roberta-base")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    name, _, revision = name.partition("@")
    revision = revision or PINNED.get(name, "main")
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=_WANTED_FROM_HUB))
    except LocalEntryNotFoundError as error:  # neither fetched nor kept from an earlier time
        problem = f"could not be fetched from the Hub ({_first_line(error)})"
        remedy = "connect to the network, or give a folder"
        raise DownloadFailed(name, f"{problem}; {remedy}") from None
    except (OSError, ValueError) as error:
        problem = (
            f"the Hub has no such model ({_first_line(error)}); check the name or give a folder"
        )
        raise DownloadFailed(name, problem) from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def exact_name(folder: Path) -> str:
    """What a record of a run calls the model in a folder; one of the Hub is NAME@COMMIT.

    The cache of the Hub keeps each commit in a folder of its own.
    """
    cache = folder.parent.parent.name
    if folder.parent.name != "snapshots" or not cache.startswith("models--"):
        return folder.name
    return f"{cache.removeprefix('models--').replace('--', '/')}@{folder.name}"


def folder_checksum(folder: Path) -> str:
    """The checksum of the weights: of the file, or of the files' checksums where there are more."""
    sums = [sha256(path) for path in sorted(folder.glob("*.safetensors"))]
    if len(sums) == 1:
        return sums[0]
    return hashlib.sha256("".join(sums).encode()).hexdigest()


def new_model(
    folder: Path, level: Level, labels: Sequence[str], *, dropout: float | None = None
) -> Any:
    """The encoder of a folder with a head of its own, still untrained.

    Args:
        labels: the classes of the head; with a single one, the head gives a number.
        dropout: of the head alone; the encoder keeps its own.
    """
    model, info = _loaded(folder, level, labels)
    prefix = f"{model.base_model_prefix}."
    lost = [key for key in info["missing_keys"] if key.startswith(prefix) and "pooler" not in key]
    wrong = [found for found in info["mismatched_keys"] if found[0].startswith(prefix)]
    _complain(folder, lost, wrong)
    if dropout is not None:
        for name, module in model.named_modules():
            if isinstance(module, torch.nn.Dropout) and not name.startswith(prefix):
                module.p = dropout
    return model


def trained_model(folder: Path, level: Level, labels: Sequence[str]) -> Any:
    """A fine-tuned model, whole: every weight there and of the right shape.

    Raises:
        BadModel: otherwise; the text names the file and the weight.
    """
    model, info = _loaded(folder, level, labels)
    _complain(folder, info["missing_keys"], info["mismatched_keys"])
    return model.eval()


def _loaded(folder: Path, level: Level, labels: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    kinds = {
        "words": transformers.AutoModelForTokenClassification,
        "sentences": transformers.AutoModelForSequenceClassification,
    }
    try:
        with quiet():
            model, info = kinds[level].from_pretrained(
                folder,
                num_labels=len(labels),
                id2label=dict(enumerate(labels)),
                label2id={name: number for number, name in enumerate(labels)},
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                ignore_mismatched_sizes=True,  # so that we can say which, and by file
                output_loading_info=True,
            )
    except SafetensorError as error:
        raise BadModel(_weights(folder), f"is not a valid safetensors file ({error})") from None
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        cause = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise BadModel(folder, f"cannot be loaded as an encoder for {level} ({cause})") from None
    return model.float(), info  # weights may be stored in 16 bits; training in 16 bits diverges


def _complain(folder: Path, lost: Any, wrong: Any) -> None:
    if wrong:
        name, found, wanted = sorted(wrong, key=lambda entry: str(entry[0]))[0]
        raise BadModel(
            _weights(folder),
            f"{name} has the shape {tuple(found)}, not {tuple(wanted)}; give a checkpoint that "
            "fits config.json",
        )
    if lost:
        raise BadModel(
            _weights(folder),
            f"has no {min(lost)} (and {len(lost) - 1} more are missing); give a model that was "
            "fine-tuned, for example by trope train metaphor --model",
        )


def _weights(folder: Path) -> Path:
    return min(folder.glob("*.safetensors"), default=folder / "model.safetensors")


@contextmanager
def quiet() -> Iterator[None]:
    """Without the tables and bars that transformers prints while it loads and saves."""
    logging = transformers.utils.logging
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def load_tokenizer(folder: Path, level: Level) -> Any:
    """The tokeniser of a folder; it must be a fast one, which knows the words of its pieces."""
    options = {"add_prefix_space": True} if level == "words" else {}
    try:
        with quiet():
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False, use_fast=True, **options
            )
    except Exception as error:  # noqa: BLE001 - tokenizers raises just that for a bad file
        cause = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise BadModel(folder, f"has no tokeniser that can be read ({cause})") from None
    if not tokenizer.is_fast:
        raise BadModel(folder, "has a slow tokeniser only; add its tokenizer.json")
    return tokenizer


def save_folder(model: Any, tokenizer: Any, notes: Mapping[str, Any], out: Path) -> None:
    """Write weights (safetensors), tokeniser, configuration and notes into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    with quiet():
        model.save_pretrained(out, safe_serialization=True)
        tokenizer.save_pretrained(out)
    with atomic_write(out / NOTES_FILE) as file:
        file.write(json.dumps(dict(notes), indent=1) + "\n")


def longest(model: Any, wanted: int) -> int:
    """The wanted number of pieces, or what the encoder can read where that is less."""
    places = getattr(model.config, "max_position_embeddings", None)
    return min(wanted, places - 2) if places else wanted  # some count from 2


def text_pieces(
    tokenizer: Any, texts: Sequence[str], answers: Sequence[float] | None, max_length: int
) -> list[EncodedText]:
    """Whole texts, cut off at `max_length` pieces."""
    if not texts:
        return []
    found = tokenizer(list(texts), truncation=True, max_length=max_length)["input_ids"]
    given = answers if answers is not None else [NO_ANSWER] * len(found)
    return [EncodedText(tuple(ids), (), (a,)) for ids, a in zip(found, given, strict=True)]


def padded(batch: Sequence[EncodedText], pad: int) -> tuple[Tensor, Tensor]:
    """The numbers of a batch side by side, and which of them count."""
    width = max(len(item.ids) for item in batch)
    ids = torch.full((len(batch), width), pad, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, item in enumerate(batch):
        ids[row, : len(item.ids)] = torch.tensor(item.ids)
        mask[row, : len(item.ids)] = 1
    return ids, mask


def sequence_logits(
    model: Any, items: Sequence[EncodedText], pad: int, *, batch: int = 64
) -> list[list[float]]:
    """The logits of every sequence, in order."""
    model.eval()
    device = next(model.parameters()).device
    order = sorted(range(len(items)), key=lambda at: len(items[at].ids))
    found: list[list[float]] = [[] for _ in items]
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        ids, mask = padded([items[at] for at in chosen], pad)
        with torch.inference_mode():
            logits = model(input_ids=ids.to(device), attention_mask=mask.to(device)).logits.float()
        for at, row in zip(chosen, logits.tolist(), strict=True):
            found[at] = row
    return found
