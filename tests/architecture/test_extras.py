"""Every module imports with the extra that it is for, and with no package of another one."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from requirements import EXTRAS, packages_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs os.fork")


@pytest.fixture(scope="module")
def imports() -> dict[str, dict[str, Any]]:
    """What each_extra.py says of the core ("") and of each extra."""
    command = [sys.executable, str(Path(__file__).with_name("each_extra.py"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        said = line["extra"] or "no extra"
        counts = f"{len(line['imported'])} modules, {len(line['missing'])} need other extras"
        sys.stdout.write(f"{said}: {counts}\n")
    return {line["extra"]: line for line in lines}


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_modules_import_or_name_the_extra_that_they_need(
    imports: dict[str, dict[str, Any]], extra: str
) -> None:
    absent = [name for name in packages_of(extra) if importlib.util.find_spec(name) is None]
    if absent:
        pytest.skip(f"not installed: {', '.join(absent)}")
    assert imports[extra]["faults"] == []


def test_every_module_is_imported_by_some_extra(imports: dict[str, dict[str, Any]]) -> None:
    if any(importlib.util.find_spec(name) is None for e in EXTRAS for name in packages_of(e)):
        pytest.skip("not all extras are installed")
    never = set.intersection(*(set(line["missing"]) for line in imports.values()))
    assert never == set()
    assert {"trope.pipeline", "trope.core.run_folder"} <= set(imports[""]["imported"])
    assert {"trope.integrations.spacy"} <= set(imports["spacy"]["imported"])
