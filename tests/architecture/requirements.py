"""Which packages pyproject.toml declares, as core or in an extra, and which the source imports."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads(
    (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
)["project"]
FOR_DEVELOPERS = {"all", "dev", "docs", "lint", "test"}
EXTRAS = tuple(sorted(set(PROJECT["optional-dependencies"]) - FOR_DEVELOPERS))

# packages whose name in Python is another than on PyPI
IMPORTED_AS = {
    "scikit-learn": "sklearn",
    "pyyaml": "yaml",
    "huggingface-hub": "huggingface_hub",
    "python-docx": "docx",
}


def packages_of(extra: str = "") -> set[str]:
    """What can be imported with the core and this extra."""
    lists = [PROJECT["dependencies"]]
    if extra:
        lists.append(PROJECT["optional-dependencies"][extra])
    found: set[str] = set()
    for line in (line for lines in lists for line in lines):
        if within := re.fullmatch(r"trope\[(\w+)\]", line):
            found |= packages_of(within[1])
        else:
            name = re.split(r"[\[<>=! ]", line)[0].lower()
            found.add(IMPORTED_AS.get(name, name))
    return found


def imports_of(path: Path) -> Iterator[str]:
    """The packages of others that a module imports, at its top or in a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules = [node.module]
        else:
            continue
        for module in modules:
            package = module.partition(".")[0]
            if package != "trope" and package not in sys.stdlib_module_names:
                yield package
