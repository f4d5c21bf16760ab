"""Figures of networks: the head that ships, with names hidden or not, and any other encoder."""

from __future__ import annotations

from collections.abc import Iterator

from trope.catalog import METONYMY_SYSTEMS
from trope.core.errors import BadInput
from trope.encoder.session import AnyEncoder
from trope.evaluate.metonymy_data import NameData, NameSplit
from trope.evaluate.metonymy_systems import figures_on, figures_on_test
from trope.evaluate.options import EvaluationOptions
from trope.lexicon.readings import NAME_CLASSES, NameClass
from trope.metrics.figures import DataRef, Figure
from trope.tasks.metonymy.encoder_head import EncoderMetonymy, Masking, blend
from trope.tasks.metonymy.task import NoParser, Probabilities, parse_samples
from trope.tasks.metonymy.validation import held_out

CHOSEN_ON = "semeval2007 train, one sample in ten"
HELD_OUT = "held_out"
_SINGLE: tuple[Masking, Masking] = ("plain", "masked")
_NOTES: dict[Masking, str] = {
    "both": "the name as it is and hidden, averaged",
    "masked": "the name hidden",
    "plain": "the name as it is",
}


def evaluate_encoder(data: NameData, options: EvaluationOptions) -> list[Figure]:
    """Accuracy and F of every label on the test sets, and on what training has set aside.

    The fine and medium labels of the company test set are not public: for them there is only the
    part of train that no stage of training has read.
    """
    if data.reader is None:
        raise BadInput("names are not read without a model; this part needs one")
    figures: list[Figure] = []
    for name_class in NAME_CLASSES:
        for split, chosen_on in (("test", CHOSEN_ON), (HELD_OUT, "")):
            part = data[name_class, "test"] if split == "test" else _set_aside(data, name_class)
            for mask, predicted in _views(data.reader.heads, part):
                places = (
                    "" if mask == "both" else f"encoder_{mask}",
                    "" if split == "test" else split,
                )
                label = ".".join(place for place in places if place)
                figures += figures_on(
                    label, predicted, part, name_class, options.seed, chosen_on, _NOTES[mask]
                )
    return figures


def _views(encoder: AnyEncoder, part: NameSplit) -> Iterator[tuple[Masking, list[Probabilities]]]:
    """What the head says of the names, as they are, hidden, and from both."""
    names = parse_samples(part.samples, NoParser())
    plain, masked = (EncoderMetonymy(encoder, mask=mask).predict(names) for mask in _SINGLE)
    yield "both", [blend(a, b) for a, b in zip(plain, masked, strict=True)]
    yield "plain", plain
    yield "masked", masked


def _set_aside(data: NameData, name_class: NameClass) -> NameSplit:
    whole = data[name_class, "train"]
    samples = [sample for sample in whole.samples if held_out(sample.id)]
    part = DataRef(whole.data.name, f"{whole.data.split}, one in ten", whole.data.sha256)
    return NameSplit(samples, part)


def evaluate_transformers(data: NameData, options: EvaluationOptions) -> list[Figure]:
    """The folder that was given: a Hugging Face encoder that reads marked names."""
    system = METONYMY_SYSTEMS.load("transformers")(model=options.detector)
    note = f"weights {system.model_sha256[:12]}"
    figures: list[Figure] = []
    for name_class in NAME_CLASSES:
        predicted = system.predict(data.names_in_words(name_class, "test"))
        figures += figures_on_test(
            "transformers", predicted, data, name_class, options.seed, "", note
        )
    return figures
