"""The size of the wheel, and how much other sentences in a batch change a sentence's scores.

python benchmarks/package.py [DATA/vua18/VUA_seq_formatted_test.csv]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import machine
import numpy as np
import record
import speed

from trope.core.files import sha256
from trope.encoder.session import SYNTAX, Encoder
from trope.metrics.figures import DataRef, Measurement

REPOSITORY = Path(__file__).resolve().parents[1]
SENTENCES = 400  # each goes through the network twice


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both and keep the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, nargs="?", help="file with a column 'sentence'")
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    figures = [
        record.measured("package.wheel_mb", [wheel_bytes() / 1e6], n=1, note="pip wheel --no-deps")
    ]
    encoder = Encoder(threads=1)
    if options.sentences:
        figures.append(_company(encoder, options.sentences))
    checksum = sha256(encoder.folder / "encoder.onnx")
    record.keep(figures, tier=encoder.tier, model_sha256=checksum, path=options.results)
    for figure in figures:
        print(f"{figure.name}: {figure.value:.3g}")
    return 0


def wheel_bytes() -> int:
    """The size of the wheel that this checkout gives."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", str(REPOSITORY), "--quiet", "--no-deps"]
        command += ["--no-build-isolation", "--no-cache-dir", "--wheel-dir", folder]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        (wheel,) = Path(folder).glob("trope-*.whl")
        return wheel.stat().st_size


def largest_difference(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> float:
    """The largest change of any score between a sentence alone and among the others."""
    together = _scores(encoder, sentences)
    return max(
        float(np.abs(ours - alone).max())
        for number, sentence in enumerate(sentences)
        for ours, alone in zip(together[number], _scores(encoder, [sentence])[0], strict=True)
    )


def _scores(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> dict[int, list[np.ndarray]]:
    """All scores of each sentence, without the padding of its batch."""
    found = {}
    for future in encoder.submit(sentences):
        done = future.result()
        for row, window in enumerate(done.windows):
            words = window.pieces.words
            sizes = {"arcs": (words, words + 1), "label_heads": (words + 1,)}
            found[window.sentence] = [
                done.outputs[name][row][tuple(slice(n) for n in sizes.get(name, (words,)))]
                for name in SYNTAX
            ]
    return found


def _company(encoder: Encoder, path: Path) -> Measurement:
    words = [text.split() for text in speed.read_sentences(path)]
    drawn = speed.sample(sorted(words, key=len), SENTENCES, seed=0)
    return record.measured(
        "encoder.batch_effect",
        [largest_difference(encoder, drawn)],
        n=len(drawn),
        note=f"largest difference of any score; {machine.describe(threads=1)}",
        data=DataRef("vua18", "test", sha256(path)),
    )


if __name__ == "__main__":
    sys.exit(main())
