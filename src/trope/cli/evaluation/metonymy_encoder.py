"""Figures of networks: the head that ships, with names hidden or not, and any other encoder."""

from __future__ import annotations

from typing import get_args

from trope.catalog import METONYMY_SYSTEMS
from trope.cli.evaluation.metonymy_data import NameData
from trope.cli.evaluation.metonymy_systems import figures_on_test
from trope.cli.evaluation.options import EvaluationOptions
from trope.core.errors import BadInput
from trope.lexicon.readings import NAME_CLASSES
from trope.metrics.figures import Figure
from trope.tasks.metonymy.encoder_head import EncoderMetonymy, Masking

CHOSEN_ON = "semeval2007 train, one sample in ten"
_NOTES: dict[Masking, str] = {
    "both": "the name as it is and hidden, averaged",
    "masked": "the name hidden",
    "plain": "the name as it is",
}


def evaluate_encoder(data: NameData, options: EvaluationOptions) -> list[Figure]:
    """Accuracy and F of every label on the test sets.

    The fine and medium labels of the company test set are not public.
    """
    if data.reader is None:
        raise BadInput("names are not read without a model; this part needs one")
    figures: list[Figure] = []
    for mask in get_args(Masking):
        system = EncoderMetonymy(data.reader.heads, mask=mask)
        label = "" if mask == "both" else f"encoder_{mask}"
        for name_class in NAME_CLASSES:
            predicted = system.predict(data.names_in_words(name_class, "test"))
            figures += figures_on_test(
                label, predicted, data, name_class, options.seed, CHOSEN_ON, _NOTES[mask]
            )
    return figures


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
