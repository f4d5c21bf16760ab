"""Imports point down the layers, and the front door opens without the heavy packages."""

import subprocess
import sys

import pytest

from conftest import REPOSITORY

HEAVY = ("spacy", "torch", "transformers", "django", "sklearn", "ray", "pandas")


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a new process has after running the code."""
    script = f"{code}\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_imports_point_down_the_layers() -> None:
    """In a process of its own: import-linter silences the loggers that other tests listen to."""
    code = (
        "import sys; from importlinter.cli import lint_imports; "
        "sys.exit(lint_imports('pyproject.toml', no_cache=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_import_of_trope_loads_nothing_heavy() -> None:
    loaded = loaded_by("import trope")
    assert "trope" in loaded
    assert not loaded & {*HEAVY, "numpy", "onnxruntime", "rich", "click"}


def test_command_line_helps_without_what_commands_need() -> None:
    help_text = "from trope.cli.main import main\nmain.main(['--help'], standalone_mode=False)"
    loaded = loaded_by(help_text)
    assert "click" in loaded
    assert not loaded & {*HEAVY, "numpy", "onnxruntime", "rich", "msgspec", "tokenizers"}


@pytest.mark.parametrize("name", ["Pipeline", "Analysis", "TropeError"])
def test_names_of_the_package_load_neither_spacy_nor_torch(name: str) -> None:
    loaded = loaded_by(f"import trope; trope.{name}")
    assert not loaded & set(HEAVY)
