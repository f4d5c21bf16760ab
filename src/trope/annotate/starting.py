"""Projects to begin with: a commented project.toml and sample items for each kind of task."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from trope.annotate.project import CONFIG, SECRET, make_secret
from trope.core.errors import BadInput, UnknownName
from trope.core.files import atomic_write

TEMPLATES = ("tweets2019", "newsmet", "semeval2015", "semeval2007", "spans", "pairs", "words")
VARIANTS = ("tweets2019-highlight",)
"""Other ways in which a study went about its task."""

SAMPLE, DEMO = "items.jsonl", "demo.jsonl"


def new_project(folder: Path, template: str) -> None:
    """Make a project folder; nothing that exists is written over.

    Raises:
        UnknownName: for a template that there is not.
        BadInput: for a folder that holds a project already.
    """
    if template not in (known := (*TEMPLATES, *VARIANTS)):
        raise UnknownName("template", template, known)
    if (folder / CONFIG).exists():
        raise BadInput(f"{folder / CONFIG}: exists already; choose another folder")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder}: is no folder; choose another name")
    for name, kind in ((SAMPLE, "items.jsonl"), (DEMO, "demo.jsonl"), (CONFIG, "toml")):
        source = files("trope.annotate") / "templates" / f"{template}.{kind}"
        if name == DEMO and not source.is_file():
            continue  # not every project has a demo task
        with atomic_write(folder / name) as file:
            file.write(source.read_text("utf-8"))
    if not (folder / SECRET).exists():
        make_secret(folder)
