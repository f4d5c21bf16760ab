"""`trope train metaphor --model`: a Hugging Face encoder fine-tuned into a detector's folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from trope import __version__
from trope.core.errors import BadInput, UnknownName
from trope.core.files import atomic_write, sha256
from trope.core.progress import MessageWriter
from trope.corpora.files import FileOptions
from trope.corpora.labelled_texts import LabelColumns, read_labelled
from trope.corpora.newsmet import GoldPlusRows
from trope.corpora.vua import read_vua_words
from trope.tasks.hub_folder import (
    EncodedText,
    Level,
    exact_name,
    folder_checksum,
    load_tokenizer,
    longest,
    model_path,
    text_pieces,
)
from trope.tasks.metaphor.hub_model import (
    DetectorNotes,
    new_detector,
    save_detector,
    word_pieces,
)
from trope.tasks.metaphor.silver import HeldOutTexts, SilverText, build_silver
from trope.tasks.metaphor.silver_sources import SENTENCE_SETS, UserGold, gather_texts
from trope.tasks.metaphor.task import Criterion, choose_threshold
from trope.train.hub.fit import fit_all
from trope.train.hub.loop import (
    Epoch,
    FitContext,
    Fitted,
    HubSettings,
    best_device,
    fit,
    labelled_scores,
)
from trope.train.hub.newsmet import (
    NEWSMET_TRAIN,
    SEEDS,
    newsmet_part,
    prepare_silver,
    present_held_out,
)

_WORD_SETS = ("vua18",)
_DEFAULT_SETS = {"sentences": ("newsmet",), "words": _WORD_SETS}
_CRITERIA: dict[str, Criterion] = {"words": "f1", "sentences": "macro_f1"}


@dataclass(frozen=True, slots=True)
class DetectorRequest:
    """What is trained, on which data, and where."""

    settings: HubSettings
    model: str
    data: Path
    out: Path
    on: tuple[str, ...] = ()
    reading: GoldPlusRows = "all_six"
    trofi: Path | None = None
    device: str = "auto"
    work: Path | None = None
    quiet: bool = False


@dataclass(slots=True)
class DetectorMaterial:
    """Texts (or lists of words) with answers, in two parts, and where they came from."""

    train: list[tuple[Any, Any]] = field(default_factory=list)
    validation: list[tuple[Any, Any]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    drops: dict[str, int] = field(default_factory=dict)


def train_model(
    *,
    model: str,
    own: UserGold | None = None,
    seeds: tuple[int, ...] = (),
    jobs: int = 1,
    say: MessageWriter,
    **request: Any,
) -> None:
    """One detector; what only `train_series` takes is passed over."""
    _train_hub(DetectorRequest(model=model, **request), say)


def train_series(
    *,
    settings: HubSettings,
    model: str | None,
    data: Path,
    out: Path,
    trofi: Path | None = None,
    own: UserGold | None = None,
    on: tuple[str, ...] = (),
    columns: LabelColumns | None = None,
    files: FileOptions | None = None,
    device: str = "auto",
    seeds: tuple[int, ...] = SEEDS,
    jobs: int = 1,
    say: MessageWriter,
    **_: Any,
) -> None:
    """NewsMet's series: texts into OUT/prepared and, with a model, predictions into
    OUT/predictions.

    `on` are tables with texts and labels of the user's own, which are trained on too.
    """
    if settings.level != "sentences":
        raise BadInput("the silver detector judges sentences; choose the preset newsmet")
    if model is not None:
        model_path(model)  # what is not there is refused before the texts are prepared
    prepared = out / "prepared"
    further = [
        read_labelled(Path(name), "metaphor", columns or LabelColumns(), files) for name in on
    ]
    prepare_silver(
        data, prepared, settings, seeds=seeds, trofi=trofi, own=own, further=further, say=say
    )
    if model is not None:
        fit_all(prepared, model, out / "predictions", device=device, jobs=jobs, say=say)
        say(f"the predictions are in {out / 'predictions'}")


def _train_hub(request: DetectorRequest, say: MessageWriter) -> None:
    names = request.on or _DEFAULT_SETS[request.settings.level]
    fit_detector(replace(request, on=names), _read(request, names, say), say)


def fit_detector(request: DetectorRequest, material: DetectorMaterial, say: MessageWriter) -> None:
    """Train, keep the best epoch, and choose its threshold on validation data.

    Started again with the same folders it goes on after the last whole epoch.
    """
    settings, names = request.settings, request.on
    folder = model_path(request.model)
    say(f"{len(material.train)} to train on, {len(material.validation)} to validate with")
    tokenizer = load_tokenizer(folder, settings.level)
    torch.manual_seed(settings.seed)  # of the new head
    network = new_detector(folder, settings.level, dropout=settings.dropout)
    most = longest(network, settings.max_length)
    train, validation = (
        _pieces(tokenizer, part, settings.level, most)
        for part in (material.train, material.validation)
    )
    work = request.work or request.out / "work"
    best = work / "best"
    chosen_on = f"{'+'.join(names)} validation"

    def keep(model: Any, epoch: Epoch) -> None:
        threshold = _threshold(model, validation, settings, tokenizer.pad_token_id)
        notes = DetectorNotes(settings.level, threshold, chosen_on, most)
        save_detector(model, tokenizer, notes, best)

    fitted = fit(
        network,
        train,
        validation,
        settings,
        pad=tokenizer.pad_token_id,
        seed=settings.seed,
        place=FitContext(best_device(request.device), work, say, quiet=request.quiet),
        on_best=keep,
    )
    shutil.copytree(best, request.out, dirs_exist_ok=True)
    _write_records(request, names, folder, material, fitted)
    say(f"the model is in {request.out}")


def _read(request: DetectorRequest, names: Sequence[str], say: MessageWriter) -> DetectorMaterial:
    if request.settings.level == "words":
        return _read_words(request, names)
    known = (*SENTENCE_SETS, "newsmet", "trofi")
    for name in names:
        if name not in known:
            raise UnknownName("set of labelled sentences", name, known)
    if "trofi" in names and request.trofi is None:
        raise BadInput("trofi is not among the research data; give its example base with --trofi")
    material = DetectorMaterial()
    others = [name for name in names if name != "newsmet"]
    guard = present_held_out(request.data, say)
    newsmet_train = guard.pop(NEWSMET_TRAIN, [])
    if others:
        gathered = gather_texts(request.data, others, trofi=request.trofi)
        seed = request.settings.seed
        apart = {NEWSMET_TRAIN: newsmet_train} if "newsmet" in names else {}
        silver = build_silver(gathered.texts, held_out={**guard, **apart}, seed=seed)
        material.train += _labelled(silver.imbalanced.train)
        material.validation += _labelled(silver.imbalanced.validation)
        material.files |= gathered.files
        material.drops |= {f"{n}: {why}": count for (n, why), count in silver.drops.items()}
    if "newsmet" in names:
        for split, part in (("train", material.train), ("val", material.validation)):
            outside = HeldOutTexts({k: v for k, v in guard.items() if k != f"NewsMet {split}"})
            kept, drops, files = newsmet_part(request.data, split, request.reading, outside)
            part += _labelled(kept)
            material.files |= files
            material.drops |= {f"newsmet {split}: {why}": count for why, count in drops.items()}
    return material


def _read_words(request: DetectorRequest, names: Sequence[str]) -> DetectorMaterial:
    material = DetectorMaterial()
    for name in names:
        if name not in _WORD_SETS:
            raise UnknownName("set of labelled words", name, _WORD_SETS)
    for split, part in (("train", material.train), ("val", material.validation)):
        path = request.data / "vua18" / f"VUA_seq_formatted_{split}.csv"
        part += ((s.words, tuple(map(int, s.labels))) for s in read_vua_words(path))
        material.files[path.relative_to(request.data).as_posix()] = sha256(path)
    return material


def _labelled(items: Sequence[SilverText]) -> list[tuple[str, int]]:
    return [(item.text, int(item.metaphor)) for item in items]


def _pieces(
    tokenizer: Any, part: Sequence[tuple[Any, Any]], level: Level, most: int
) -> list[EncodedText]:
    if level == "words":
        return [p for words, labels in part for p in word_pieces(tokenizer, words, labels, most)]
    return text_pieces(tokenizer, [text for text, _ in part], [label for _, label in part], most)


def _threshold(model: Any, items: Sequence[EncodedText], settings: HubSettings, pad: int) -> float:
    scores, labels = labelled_scores(model, items, pad)
    return choose_threshold(scores, labels, by=_CRITERIA[settings.level])


def _write_records(
    request: DetectorRequest,
    names: Sequence[str],
    folder: Path,
    material: DetectorMaterial,
    fitted: Fitted,
) -> None:
    """The log of the epochs, and the card, which comes last: a folder with a card is whole."""
    with atomic_write(request.out / "metrics.jsonl") as file:
        file.writelines(json.dumps(asdict(epoch)) + "\n" for epoch in fitted.history)
    with atomic_write(request.out / "README.md") as file:
        file.write(_card(request, names, folder, material, fitted))


def _card(
    request: DetectorRequest,
    names: Sequence[str],
    folder: Path,
    material: DetectorMaterial,
    fitted: Fitted,
) -> str:
    settings = request.settings
    notes = json.loads((request.out / "trope.json").read_text("utf-8"))
    lines = [
        f"# Metaphor detector for {settings.level}",
        "",
        f"Made by trope {__version__} from `{exact_name(folder)}`, weights "
        f"`{folder_checksum(folder)}`.",
        f"Trained on {', '.join(names)}: {len(material.train)} items, validated with "
        f"{len(material.validation)}."
        + (f" Gold+ is read as `{request.reading}`." if "newsmet" in names else ""),
        f"Best of {settings.epochs} epochs: {fitted.best}, {settings.best_by} {fitted.score:.4f} "
        f"on validation data. Threshold {notes['threshold']:.4f}, chosen by "
        f"{_CRITERIA[settings.level]} on the same data.",
        "",
        "Do not measure it on what it was trained on: MOH holds all of MOH-X, and TSV's triplets "
        "with sentences are a test set elsewhere.",
        "",
        "| setting | value |",
        "| --- | --- |",
        *(f"| {name} | {value} |" for name, value in asdict(settings).items()),
        "",
        "| file | SHA-256 |",
        "| --- | --- |",
        *(f"| {name} | `{checksum}` |" for name, checksum in sorted(material.files.items())),
        "",
        *(f"- left out, {why}: {count}" for why, count in sorted(material.drops.items())),
    ]
    return "\n".join(lines).rstrip() + "\n"
