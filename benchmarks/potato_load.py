"""Potato, driven like our service: the same crowd, the same items, one question with two answers.

Its page saves a choice, asks for the next item, and loads that page: three requests per judgment.
The time of a submit is that of the first of them alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import secrets
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import annotation_service as service
import machine
import record
from annotation_clients import Browser, Submit, all_at_once
from annotation_runs import Run

from trope.metrics.figures import Measurement

VERSION = "2.12.1"
_ITEM = re.compile(rb'id="instance_id"[^>]*value="([^"]+)"')
_CONFIG = """
annotation_task_name: Load
task_dir: .
output_annotation_dir: out
data_files: [items.jsonl]
item_properties: {{id_key: id, text_key: text}}
require_password: false
user_config: {{allow_all_users: true, users: []}}
num_annotators_per_item: {k}
assignment_strategy: random
secret_key: {secret}
annotation_schemes:
  - {{annotation_type: radio, name: metaphor, description: "Is it a metaphor?",
     labels: ["yes", "no"]}}
"""


def measure(folder: Path, options: argparse.Namespace) -> list[Measurement]:
    """Its figures; none where it is not installed, with a message that says why."""
    reason = _missing(options.potato)
    if reason:
        print(f"potato: not measured ({reason})")
        return []
    figures = []
    crowd = _run(folder / "rate", options.potato, people=options.people, items=400, k=5, most=60)
    print(f"{f'potato, {options.people} without pause':<40} {crowd.in_words()}", flush=True)
    ends = _run(folder / "ends", options.potato, people=options.people, items=100, k=5, most=120)
    print(f"{'potato, until 100 items run out':<40} {ends.in_words()}", flush=True)
    alone = _run(folder / "alone", options.potato, people=1, items=1200, k=5, most=240)
    first, last = alone.tenths(0.5)
    print(
        f"{'potato, one person':<40} submit {first:.1f} → {last:.1f} ms over {len(alone.submits)}"
    )
    note = f"version {VERSION}, one gunicorn worker with 8 threads; {machine.describe(threads=2)}"
    for name, run, value in (
        ("judgments_per_s", crowd, crowd.rate),
        ("submit_p50_ms", crowd, crowd.milliseconds(0.5)),
        ("submit_p95_ms", crowd, crowd.milliseconds(0.95)),
        ("over_the_cap", ends, float(ends.over_the_cap)),
        ("submit_growth", alone, last / first),
    ):
        n = len(run.submits)
        figures.append(record.measured(f"annotate.potato.{name}", [value], n=n, note=note))
    return figures


def _missing(python: Path | None) -> str:
    """Why it cannot be measured; empty where it can."""
    if python is None:
        return "no --potato PYTHON was given"
    code = "import gunicorn, importlib.metadata as m; print(m.version('potato-annotation'))"
    try:
        found = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return f"{python} has no potato-annotation with gunicorn"
    version = found.stdout.strip()
    return "" if version == VERSION else f"{python} has version {version}, not {VERSION}"


def _run(folder: Path, python: Path, *, people: int, items: int, k: int, most: float) -> Run:
    folder.mkdir(parents=True)
    config = _CONFIG.format(k=k, secret=secrets.token_hex(32))
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    service.write_items(folder / "items.jsonl", items)
    with _serving(folder, python) as port:
        submits, seconds = asyncio.run(_drive(port, people, most))
    return Run(submits, seconds, _over_the_cap(folder, k))


@contextmanager
def _serving(folder: Path, python: Path) -> Iterator[int]:
    port = service.free_port()
    entry = "potato.flask_server:create_app('config.yaml')"
    options = ["-w", "1", "--threads", "8", "-b", f"{service.HOST}:{port}", "--keep-alive", "60"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(python), "-m", "gunicorn", *options, entry],
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        service.wait_until_ready(port, process, most=60)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


async def _drive(port: int, people: int, most: float) -> tuple[list[Submit], float]:
    browsers = [Browser(service.HOST, port) for _ in range(people)]
    await all_at_once([_sign_in(browser, n) for n, browser in enumerate(browsers)])
    submits: list[Submit] = []
    began = time.perf_counter()
    await asyncio.gather(*(_judge(browser, began + most, submits) for browser in browsers))
    ended = max((submit.at for submit in submits), default=began)
    for browser in browsers:
        await browser.close()
    return submits, ended - began


async def _sign_in(browser: Browser, number: int) -> None:
    answer = await browser.post("/auth", {"email": f"annotator{number}", "action": "login"})
    if answer.status != 302:
        raise RuntimeError(f"potato answered the sign-in with {answer.status}")


async def _judge(browser: Browser, until: float, submits: list[Submit]) -> None:
    seen: set[str] = set()
    while time.perf_counter() < until:
        page = await browser.get("/annotate")
        found = _ITEM.search(page.body)
        if found is None or (item := found[1].decode()) in seen:
            return
        seen.add(item)
        submits.append(await _save(browser, item))
        await browser.post_json(
            "/annotate",
            {"action": "next_instance", "instance_id": item},
            {"X-Potato-Navigation": "1"},
        )


async def _save(browser: Browser, item: str) -> Submit:
    saved = {"instance_id": item, "annotations": {"metaphor:yes": "yes"}, "span_annotations": []}
    began = time.perf_counter()
    answer = await browser.post_json("/updateinstance", saved)
    ended = time.perf_counter()
    good = answer.status == 200 and b'"success"' in answer.body
    return Submit(ended, ended - began, item, good, answer.status)


def _over_the_cap(folder: Path, k: int) -> int:
    """Items that more than k people have answered, by its own files."""
    answered: Counter[str] = Counter()
    for path in (folder / "out").glob("*/user_state.json"):
        state = json.loads(path.read_text(encoding="utf-8"))
        answered.update(_answered(state))
    return sum(number > k for number in answered.values())


def _answered(state: dict[str, object]) -> Sequence[str]:
    labels = state.get("instance_id_to_label_to_value")
    return [item for item, given in labels.items() if given] if isinstance(labels, dict) else []
