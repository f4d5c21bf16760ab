"""`trope evaluate metonymy`: names of SemEval-2007 by all systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trope.evaluate.metonymy_data import NameData, read_data
from trope.evaluate.metonymy_encoder import evaluate_encoder, evaluate_transformers
from trope.evaluate.metonymy_systems import evaluate_baselines, evaluate_roles
from trope.evaluate.metonymy_tables import evaluate_tables
from trope.evaluate.options import EvaluationOptions, Reader
from trope.metrics.figures import Evaluation, Figure, new_evaluation

Part = Callable[[NameData, EvaluationOptions], list[Figure]]

PARTS: Mapping[str, Part] = {
    "encoder": evaluate_encoder,
    "transformers": evaluate_transformers,
    "tables": evaluate_tables,
    "baselines": evaluate_baselines,
    "roles": evaluate_roles,
}
"""What `--part` chooses from."""


def evaluate(options: EvaluationOptions, reader: Reader | None = None) -> Evaluation:
    """All figures of metonymy.

    Raises:
        MissingData: where the task's files are not there.
    """
    parts = options.choose(tuple(PARTS))
    if reader is None and set(parts) != {"tables"}:
        reader = options.open_pipeline()
    if reader is not None:
        parts = options.choose_readable(tuple(PARTS), reader, {"encoder": "metonymy"})
    data = read_data(options.data, reader)
    figures = [figure for part in parts for figure in PARTS[part](data, options)]
    checksum = getattr(reader, "model_sha256", "")
    return new_evaluation("metonymy", options.tier, checksum, figures)
