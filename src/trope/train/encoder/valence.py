"""`trope train valence`: the scale of prose, from what the sentiment head says of tweets.

The network stays the same. A line is fitted to the valence that people gave to ordinary prose; it
reads all outputs of the head, because polarity tells more about prose than the score of a tweet.
"""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

import msgspec
import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.encoder.models import model_folder
from trope.encoder.session import FILES, SENTIMENT, SENTIMENT_OUTPUTS, Encoder, passes
from trope.train.encoder.corpus import ZERO
from trope.train.encoder.sentiment_sets import read_sentiment_set, whole_words

Floats = npt.NDArray[np.float64]
_PLACES = 4


def train_valence(*, data: Path, out: Path, model: Path | None, say: MessageWriter) -> None:
    """Write the model of a folder (the shipped one) with a scale of prose into another folder.

    Raises:
        BadInput: the network has an output for valence, or none for sentiment.
    """
    folder = model or model_folder("small")
    encoder = Encoder(folder=folder)
    own = SENTIMENT_OUTPUTS[:-1]
    if encoder.labels.sentiment[: len(own)] != own:
        raise BadInput(f"{folder} has no head for sentiment; give another model")
    if "valence" in encoder.labels.sentiment and not encoder.labels.valence:
        raise BadInput(f"the network of {folder} tells valence itself; there is nothing to train")
    weights = fit_valence(*_outputs(encoder, data, "train"))
    scores, given = _outputs(encoder, data, "dev")
    predicted = weights[0] + scores @ weights[1:]
    correlation = np.corrcoef(predicted, given)[0, 1]
    say(f"development texts: Pearson {correlation:.3f}, error {abs(predicted - given).mean():.3f}")
    _write(encoder, tuple(round(float(w), _PLACES) for w in weights), out)
    say(f"the model is in {out}")


def fit_valence(scores: Floats, given: Floats) -> Floats:
    """The constant and the weights of the outputs that err least, by squares."""
    ones = np.ones((len(scores), 1))
    return np.asarray(np.linalg.lstsq(np.hstack([ones, scores]), given, rcond=None)[0])


def _outputs(encoder: Encoder, data: Path, split: str) -> tuple[Floats, Floats]:
    """What the head says of each text, and people's valence from −5 to 5."""
    read = ((whole_words(text), text) for text in read_sentiment_set(data, "emobank", split))
    texts = [(words, text) for words, text in read if words]
    found = np.zeros((len(texts), len(SENTIMENT_OUTPUTS) - 1))
    sizes = np.zeros(len(texts))
    for done in passes(encoder, [words for words, _ in texts], SENTIMENT):
        for row, window in enumerate(done.windows):
            size = window.core_last - window.core_first
            found[window.sentence] += size * done.outputs["sentiment"][row, : found.shape[1]]
            sizes[window.sentence] += size
    given = np.asarray([(text.valence - ZERO) / 100 for _, text in texts])
    return found / sizes[:, None], given


def _write(encoder: Encoder, weights: tuple[float, ...], out: Path) -> None:
    labels = msgspec.structs.replace(encoder.labels, sentiment=SENTIMENT_OUTPUTS, valence=weights)
    out.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        if name != "labels.json" and encoder.folder != out:
            copyfile(encoder.folder / name, out / name)
    with atomic_write(out / "labels.json", "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(labels), indent=1))  # type: ignore[arg-type]
