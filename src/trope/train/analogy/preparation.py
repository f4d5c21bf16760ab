"""What `trope.train.analogy.fit` learns from, prepared: texts and folds as plain JSON.

Besides MEAN itself there are proposed items (`trope analogy build` without a person to accept
them): none of a metaphor of MEAN, and none that shares a choice, right or wrong, with an item of
MEAN. Settings are chosen on them, and the first of the two stages learns from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from trope import __version__
from trope.core.errors import BadRecord
from trope.core.files import atomic_write, sha256
from trope.core.progress import MessageWriter, counted
from trope.corpora.conceptual_metaphors import read_frames, read_metaphors
from trope.corpora.labelled_texts import SHARE
from trope.corpora.mean import Analogy, items_file, read_mean, read_own_items, spoken
from trope.encoder.session import Encoder
from trope.lexicon.vectors import read_vectors
from trope.tasks.analogy.checks import repair_items
from trope.tasks.analogy.cross_validation import KINDS, SEEDS, make_folds
from trope.tasks.analogy.distractors import (
    WRONG,
    AnalogyProposal,
    FrameInventory,
    eligible,
    propose,
)
from trope.tasks.analogy.ranker import choose_strength, fit_ranker
from trope.tasks.analogy.similarity import LightChoice, meaning_of_encoder, similarity_features
from trope.tasks.analogy.templates import Template, read_templates
from trope.tasks.own_systems import SystemNotes, save_light
from trope.text.duplicates import text_digest
from trope.train.analogy.fit import fit_all
from trope.train.analogy.prepared import (
    CHOSEN,
    FORMAT,
    OWN,
    PREPARED,
    AnalogyJob,
    PreparedAnalogies,
)

_DRAWS = 4
"""Drawings of proposed items on which settings are compared."""

_TRAIN, _VALIDATE, _TEMPTING = 150, 300, 5
_FEWEST, _FEWEST_METAPHORS = 8, 3
_ALIKE = 0.85  # share of letters at which two spellings count as one


def prepare(
    data: Path, out: Path, *, seeds: Sequence[int] = SEEDS, seed: int = 0
) -> dict[str, Any]:
    """Write the folder for `trope.train.analogy.fit`; what it holds."""
    mean = data / "mean" / "MEAN_datasetV1.csv"
    conceptual = data / "conceptual"
    items = list(read_mean(mean))
    inventory = FrameInventory.of(
        read_metaphors(conceptual / "metaphors.yaml"),
        read_frames(conceptual / "frames.yaml"),
        read_vectors(),
    )
    proposed = _auxiliary_items(items, inventory, seed)
    repaired, _ = repair_items(items, inventory)
    templates = read_templates()
    content = {
        "format": FORMAT,
        "data": {path.name: sha256(path) for path in (mean, *sorted(conceptual.glob("*s.yaml")))},
        "texts": _texts(items, templates, seed),
        "repaired": _texts(repaired, templates, seed),
        "auxiliary": _texts(proposed, templates, seed),
        "folds": {
            kind: {str(number): make_folds(items, kind, number) for number in seeds}
            for kind in KINDS
        },
        "draws": list(_draws(proposed, seed)),
    }
    with atomic_write(out / PREPARED) as file:
        file.write(json.dumps(content) + "\n")
    return content


class LeakGuard:
    """Finds what is too similar to the items that are tested on."""

    def __init__(self, items: Sequence[Analogy]) -> None:
        self._metaphors = {
            (_words(item.first_domain), _words(item.second_domain)) for item in items
        }
        self._tested = {spoken(choice) for item in items for choice in item.choices}
        self._choices: dict[str, bool] = {}

    def knows_metaphor(self, first: str, second: str) -> bool:
        """Whether the two domains are those of an item, or narrower ones, in either order."""
        one, other = _words(first), _words(second)
        return any(
            (topic <= one and vehicle <= other) or (topic <= other and vehicle <= one)
            for topic, vehicle in self._metaphors
        )

    def knows_choice(self, text: str) -> bool:
        """Whether it is a choice of an item, right or wrong, or almost."""
        text = spoken(text)
        if text not in self._choices:
            self._choices[text] = text in self._tested or bool(
                get_close_matches(text, self._tested, n=1, cutoff=_ALIKE)
            )
        return self._choices[text]


def _words(domain: str) -> frozenset[str]:
    """The words of a domain, without articles and the s of plurals."""
    found = (word.removesuffix("s") for word in spoken(domain).split())
    return frozenset(found) - {"a", "an", "the"}


def _auxiliary_items(
    items: Sequence[Analogy], inventory: FrameInventory, seed: int
) -> list[Analogy]:
    """Proposed items that share neither a metaphor nor a choice with the items given.

    A metaphor is shared also where its domains are narrower ones (increasing taxation for
    taxation), a choice also where it is spelt almost alike (possessors for posessor).
    """
    guard = LeakGuard(items)
    rng = np.random.default_rng(seed)
    found: list[Analogy] = []
    for metaphor in eligible(inventory.metaphors):
        if guard.knows_metaphor(*(metaphor.domains or ("", ""))):
            continue
        for mapping in metaphor.mappings:
            proposal = propose(metaphor, mapping, inventory, count=_TEMPTING)
            if proposal is None or guard.knows_choice(mapping.vehicle_role):
                continue
            item = _drawn(proposal, guard, rng, str(len(found) + 1))
            found += [item] if item else []
    return found


def _drawn(
    proposal: AnalogyProposal, guard: LeakGuard, rng: np.random.Generator, identifier: str
) -> Analogy | None:
    """One candidate of each kind at random; None where a kind has none."""
    picks = []
    for code in WRONG:
        free = [
            at
            for at, candidate in enumerate(proposal.candidates[code])
            if not guard.knows_choice(candidate.text)
        ]
        if not free:
            return None
        picks.append(int(rng.choice(free)))
    return proposal.item(identifier, picks)


def _texts(
    items: Sequence[Analogy], templates: Mapping[str, Template], seed: int
) -> dict[str, Any]:
    """For every template start and end of every choice; `order` says which choice stands where."""
    rng = np.random.default_rng(seed)
    orders = [[int(at) for at in rng.permutation(len(item.choices))] for item in items]
    return {
        "order": orders,
        "templates": {
            name: [
                [template.fill(item, item.choices[at]) for at in order]
                for item, order in zip(items, orders, strict=True)
            ]
            for name, template in templates.items()
        },
    }


def _draws(items: Sequence[Analogy], seed: int) -> Iterator[dict[str, list[int]]]:
    """As many items as a fold trains on, and others, of other metaphors, to validate with."""
    names = sorted({item.metaphor for item in items})
    for number in range(_DRAWS):
        rng = np.random.default_rng([seed, number])
        place = {names[at]: rank for rank, at in enumerate(rng.permutation(len(names)))}
        ranked = sorted(range(len(items)), key=lambda at: place[items[at].metaphor])
        middle = items[ranked[min(_TRAIN, len(ranked) // 3)]].metaphor
        train = [at for at in ranked if place[items[at].metaphor] < place[middle]]
        rest = [at for at in ranked if place[items[at].metaphor] >= place[middle]]
        yield {"train": sorted(train), "validation": sorted(rest[:_VALIDATE])}


def train_analogies(
    *,
    data: Path | None,
    out: Path,
    model: Path | None,
    own: Path | None = None,
    everything: bool = False,
    device: str = "auto",
    jobs: int = 1,
    seed: int = 0,
    say: MessageWriter,
) -> None:
    """Texts and folds into OUT/prepared and, with a model, predictions into OUT/predictions.

    With `own` items instead of research data, a system that is kept in OUT.
    """
    if own is not None or data is None:
        _train_own(own or Path(), out, model, everything, device, seed, say)
        return
    content = prepare(data, out / "prepared", seed=seed)
    count, proposed = len(content["texts"]["order"]), len(content["auxiliary"]["order"])
    say(f"{count} items and {proposed} proposed ones are in {out / 'prepared'}")
    if model is not None:
        fit_all(
            out / "prepared",
            model,
            out / "predictions",
            device=device,
            jobs=jobs,
            work=out / "work",
            say=say,
        )
        say(f"the predictions are in {out / 'predictions'}")


def _train_own(
    source: Path,
    out: Path,
    model: Path | None,
    everything: bool,
    device: str,
    seed: int,
    say: MessageWriter,
) -> None:
    """A system fitted to a user's own items; one metaphor in five is set aside."""
    items = read_own_items(source)
    held = [not everything and text_digest(item.metaphor) % SHARE == 0 for item in items]
    train = [item for item, apart in zip(items, held, strict=True) if not apart]
    metaphors = len({item.metaphor for item in train})
    if len(train) < _FEWEST or metaphors < _FEWEST_METAPHORS:
        problem = (
            f"has {counted(len(train), 'item')} of {counted(metaphors, 'metaphor')} to train on"
        )
        remedy = f"write at least {_FEWEST} items of {_FEWEST_METAPHORS} metaphors, or give --all"
        raise BadRecord(source, None, f"{problem}; {remedy}")
    (_fit_light if model is None else partial(_fit_encoder, model, device))(
        source, train, seed, out
    )
    say(
        f"{out}: a {'light' if model is None else 'fine-tuned'} system for analogy trained on "
        f"{counted(len(train), 'item')}; {sum(held)} set aside for trope evaluate analogy --on"
    )


def _fit_light(source: Path, items: Sequence[Analogy], seed: int, out: Path) -> None:
    encoder = Encoder()
    meaning = meaning_of_encoder(encoder) if encoder.labels.meaning else None
    template = next(iter(read_templates().values()))
    features = similarity_features(items, template, read_vectors(), meaning)
    groups = [item.metaphor for item in items]
    ranker = fit_ranker(features, strength=choose_strength(features, groups, seed=seed))
    notes = SystemNotes(
        "analogy", trained_on=source.name, data_sha256=sha256(items_file(source)), items=len(items),
        trope=__version__,
    )  # fmt: skip
    card = (
        f"# A light system for analogies\n\nMade by trope {__version__} from `{source.name}` "
        f"(SHA-256 `{notes.data_sha256}`): {len(items)} items. It weighs likenesses of word "
        "vectors and vectors of meaning. Use it with `trope analogy answer FILE --system FOLDER`."
        "\n"
    )
    save_light(
        LightChoice(ranker, template, meaning), notes, (i.digest for i in items), out, card=card
    )


def _fit_encoder(
    model: Path, device: str, source: Path, items: Sequence[Analogy], seed: int, out: Path
) -> None:
    from trope.train.analogy.loop import ChoiceTrainer

    name, template = next(iter(read_templates().items()))
    texts = _texts(items, {name: template}, seed)
    prepared = PreparedAnalogies({"texts": texts, "repaired": texts, "auxiliary": texts}, "")
    trainer = ChoiceTrainer(prepared, model, out, device)
    everything = tuple(range(len(items)))
    job = AnalogyJob(CHOSEN, name, OWN, everything, (), "own", seed)
    trainer.fit(job)
    trainer.save(job, [item.digest for item in items], out)
    with atomic_write(out / "README.md") as file:
        file.write(
            f"# A multiple-choice model of analogies\n\nMade by trope {__version__} from the "
            f"encoder `{model.name}` and `{source.name}` (SHA-256 `{sha256(items_file(source))}`): "
            f"{len(items)} items, {OWN.epochs} epochs. Use it with `trope analogy answer FILE "
            "--system FOLDER`.\n"
        )
