"""`trope detect` killed at random points and resumed, on both engines, with the shipped model.

    python benchmarks/kills.py DATA/vua18/VUA_seq_formatted_test.csv

Every attempt is killed with SIGKILL; the last one may finish. The folder must then have the same
bytes as that of a run without interruption. Ray works on a cluster of two nodes on this machine.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import machine
import record
from speed import read_sentences

from trope.core.files import sha256
from trope.metrics.figures import DataRef


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its result; 1 where bytes differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="VUA test file with a column 'sentence'")
    parser.add_argument("--limit", type=int, default=6_000, help="sentences, drawn with repetition")
    parser.add_argument("--shard-rows", type=int, default=20)
    parser.add_argument("--kills", type=int, default=10, help="on each engine")
    parser.add_argument("--engines", nargs="+", default=["local", "ray"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = rng.choices(read_sentences(options.sentences), k=options.limit)
        (folder / "texts.txt").write_text("\n".join(texts) + "\n")
        _detect(folder, "whole", options.shard_rows).wait()
        wanted = contents(folder / "whole")
        same = [_survives(engine, folder, wanted, options, rng) for engine in options.engines]
    return 0 if all(same) else 1


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _survives(
    engine: str,
    folder: Path,
    wanted: dict[str, bytes],
    options: argparse.Namespace,
    rng: random.Random,
) -> bool:
    """Whether a run that is killed again and again leaves the bytes that are wanted."""
    cluster, more = _cluster() if engine == "ray" else (None, [])
    out = folder / engine
    reached = []
    for _ in range(options.kills):
        process = _detect(folder, engine, options.shard_rows, "--resume", *more)
        goal = (reached[-1] if reached else 0) + rng.randint(0, 2)
        while process.poll() is None and _parts(out) < goal:
            time.sleep(0.01)
        time.sleep(rng.random())  # at any point: while it starts, reads, computes or writes
        process.send_signal(signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            raise SystemExit(f"kills: {engine} was done before it could be killed; raise --limit")
        reached.append(_parts(out))
    _detect(folder, engine, options.shard_rows, "--resume", *more).wait()
    if cluster is not None:
        cluster.shutdown()
    same = contents(out) == wanted
    print(f"{engine}: killed with {reached} parts done; {'same bytes' if same else 'DIFFERENT'}")
    data = DataRef(name="vua18", split="test", sha256=sha256(options.sentences))
    note = f"1 if the bytes are those of an undisturbed run; parts done when killed: {reached}"
    figure = record.measured(
        f"resume.{engine}.same_bytes",
        [float(same)],
        n=options.kills,
        note=f"{note}; {machine.describe(2)}",
        data=data,
    )
    kept = record.read_evaluation(options.results)
    record.keep([figure], tier=kept.tier, model_sha256=kept.model_sha256, path=options.results)
    return same


def _parts(out: Path) -> int:
    return len(list(out.glob("part-*")))


def _detect(folder: Path, out: str, rows: int, *more: str) -> subprocess.Popen[bytes]:
    command = [
        *machine.TROPE,
        "detect",
        "texts.txt",
        "--out",
        out,
        "--shard-rows",
        str(rows),
        *more,
    ]
    return subprocess.Popen([*command, "--quiet"], cwd=folder)


def _cluster() -> tuple[Any, list[str]]:
    """A cluster of two nodes, and the options that name it."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    return cluster, ["--engine", "ray", "--address", cluster.address]


if __name__ == "__main__":
    sys.exit(main())
