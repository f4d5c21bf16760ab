"""The tab key: what the scripts offer, tried in the shells themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import REPOSITORY
from trope.cli.commands import COMMANDS
from trope.cli.completion import SHELLS
from trope.cli.main import run


@pytest.fixture
def with_trope(tmp_path: Path) -> dict[str, str]:
    """An environment in which `trope` is this one."""
    script = tmp_path / "bin" / "trope"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m trope "$@"\n')
    script.chmod(0o755)
    path = f"{script.parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY / "src")}


def offered(line: str, environment: dict[str, str], folder: Path) -> list[str]:
    """What bash offers at the end of a line."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"""
      source <(trope completion bash)
      compopt() {{ COMPREPLY+=("$*"); }}  # bash allows it in a real completion only
      COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}
      _trope_completion trope '{words[-1]}' '{words[-2]}'
      printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("trope an", ["analogy", "analyze", "annotate"]),
        ("trope annotate ex", ["export"]),
        ("trope analyze --kind ", ["plain", "tweet", "headline"]),
        ("trope analyze --thres", ["--threshold"]),
        ("trope score ", ["analogy", "metaphor", "metonymy", "sentiment"]),
        ("trope --ver", ["--version", "--verbose"]),
        ("trope completion ", list(SHELLS)),
        ("trope man ann", ["annotate"]),
        ("trope recipe run sem", ["semeval2007", "semeval2015"]),
        ("trope evaluate m", ["metaphor", "metonymy"]),
        ("trope data info tweets", ["tweets-brexit", "tweets-emotion"]),
        ("trope analyze exam", ["-o", "default"]),
        ("trope agree ans", ["-o", "default"]),
    ],
)
def test_bash_offers(
    line: str, wanted: list[str], with_trope: dict[str, str], tmp_path: Path
) -> None:
    assert offered(line, with_trope, tmp_path) == wanted


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_offers_every_command(with_trope: dict[str, str], tmp_path: Path) -> None:
    assert offered("trope ", with_trope, tmp_path) == sorted(COMMANDS)


def test_completing_a_command_imports_none(with_trope: dict[str, str]) -> None:
    code = (
        "import sys; from trope.cli.main import run\n"
        "try: run([])\nexcept SystemExit: pass\n"
        "print([m for m in ('numpy', 'trope.pipeline', 'trope.cli.analyze') if m in sys.modules],"
        " file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **with_trope,
            "_TROPE_COMPLETE": "bash_complete",
            "COMP_WORDS": "trope an",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert "plain,analyze" in done.stdout
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_printed_and_can_be_read(
    shell: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as leave:
        run(["completion", shell])
    assert leave.value.code == 0
    script = capsys.readouterr().out
    assert "_TROPE_COMPLETE" in script
    if shutil.which(shell):
        path = tmp_path / "script"
        path.write_text(script)
        subprocess.run([shell, "-n", str(path)], check=True)


def test_other_shells_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        run(["completion", "csh"])
    assert leave.value.code == 2
    assert "'csh' is not one of 'bash', 'zsh', 'fish'" in capsys.readouterr().err
