"""The workbench as it is started, for tests that ask it over HTTP.

A test module takes the fixture by importing it: `from benches import bench`.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[web]')")

from ports import free_port
from trope.cli.main import main

TEXT = "The new tax strangles small shops. Siemens shed jobs. It was a wonderful evening."
JSON = {"Content-Type": "application/json"}
PATIENCE_S = 600
"""How long an answer may take: a busy machine is no fault of the workbench."""


@dataclass
class Bench:
    """A running workbench."""

    host: str
    port: int
    keep: Path
    process: subprocess.Popen[str]
    link: str

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and content of an answer; underscores in names of headers are dashes."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, told, answer.read()
        finally:
            connection.close()

    def call(self, name: str, **asked: Any) -> tuple[int, Any]:
        """Status and document of a call of the API."""
        status, _, content = self.ask(
            "POST", f"/api/{name}", json.dumps(asked).encode(), Content_Type="application/json"
        )
        return status, json.loads(content)

    def connect(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=PATIENCE_S)

    def worker(self) -> int:
        """The process that answers."""
        number = self.process.pid
        children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
        return int(children[-1])

    def peak_memory(self) -> int:
        """The most memory that the process that answers has had, in bytes."""
        status = Path(f"/proc/{self.worker()}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024


def start(folder: Path, *options: str, before: str = "") -> Bench:
    """Start `trope serve`; `before` is Python that changes it first, such as its limits."""
    keep, port = folder / "texts", free_port()
    arguments = ["serve", "--port", str(port), "--no-browser", "--keep", str(keep), *options]
    code = f"{before}\nfrom trope.cli.main import run\nrun({arguments!r})"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    link = process.stdout.readline().strip()
    assert link.startswith("http://"), "it did not start"
    return Bench("127.0.0.1", port, keep, process, link)


def stop(bench: Bench) -> None:
    bench.process.terminate()
    bench.process.communicate()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    started = start(tmp_path_factory.mktemp("bench"))
    yield started
    stop(started)


def printed(*arguments: str) -> str:
    """What a trope command prints."""
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout
