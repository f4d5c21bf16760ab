"""Fills in what the site takes from the code and from measurements.

`<!-- generated: commands -->` becomes the reference of all commands, `<!-- generated: formats -->`
the fields of the files that trope writes, `<!-- generated: gallery -->` the screenshots in
images/gallery, `<!-- generated: results -->` the tables of measured figures. Lines right after the
comment are shown only where the file is read as it is, not on the site. Markers such as
`{{ figure:NAME }}` become values (figure_values.py). No file is written.
"""

import re
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from types import NoneType, UnionType

import msgspec
from figure_values import results, substitute
from sphinx.application import Sphinx

DOCS = Path(__file__).parent
# the lines right after the comment are for those who read the file itself
PLACE = re.compile(r"^<!-- generated: (\w+) -->\n(?:.+\n)*", re.MULTILINE)
OUTSIDE = re.compile(r"\]\((\.\./[^)#\s]*\.md)\)")

# heading → (where it is found, the records of it from the whole to its parts)
FORMATS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Evaluations": (
        "printed by `trope evaluate … --json`, `trope score … --json`, `trope audit … --json`, and "
        "kept in `benchmarks/results.json`",
        ("trope.metrics.figures:Evaluation", "trope.metrics.figures:Measurement",
         "trope.metrics.figures:DataRef"),
    ),
    "Recorded figures": (
        "`docs/figures.json`, and any file named by `trope evaluate … --write`",
        ("trope.evaluate.results:Results", "trope.evaluate.results:RecordedFigure"),
    ),
    "Manifest of a corpus": (
        "`manifest.json` in the folder that `trope detect` writes",
        ("trope.scale.folder:DetectManifest", "trope.scale.job:DetectSettings",
         "trope.scale.folder:InputChecksum", "trope.scale.job:Receipt"),
    ),
    "Funnel of a recipe": (
        "`funnel.json` in the folder that `trope recipe run` writes",
        ("trope.recipes.funnel:RunFunnel", "trope.recipes.funnel:StepCounts",
         "trope.recipes.funnel:PublishedCount"),
    ),
    "Finished run": (
        "what `trope release` reads of a run: `manifest.json`, `items.jsonl`, `labels.jsonl` and "
        "`judgments.jsonl`",
        ("trope.release.finished_run:Manifest", "trope.release.finished_run:Input",
         "trope.release.finished_run:Output", "trope.release.finished_run:RunItem",
         "trope.release.finished_run:Label", "trope.release.finished_run:RunJudgment"),
    ),
}  # fmt: skip


def commands() -> str:
    """The reference of all commands."""
    from trope.cli.manual import read_entry, reference

    whole = read_entry()
    return "\n".join(reference(command) for command in whole.commands)


def formats() -> str:
    """The fields of every file format that a record describes."""
    return "\n".join(_formats())


def gallery() -> str:
    """The screenshots, by name."""
    screenshots = sorted((DOCS / "images" / "gallery").glob("*.png"))
    if not screenshots:
        return "There are no screenshots yet."
    return "\n\n".join(
        f"![{image.stem.replace('-', ' ')}](images/gallery/{image.name})\n\n"
        f"{image.stem.replace('-', ' ')}"
        for image in screenshots
    )


def _formats() -> Iterator[str]:
    for heading, (where, records) in FORMATS.items():
        yield f"## {heading}\n\n{where[0].upper()}{where[1:]}.\n"
        for place in records:
            yield from _record(_load(place))


def _load(place: str) -> type[msgspec.Struct]:
    module, name = place.split(":")
    record: type[msgspec.Struct] = getattr(__import__(module, fromlist=[name]), name)
    return record


def _record(record: type[msgspec.Struct]) -> Iterator[str]:
    said = " ".join((record.__doc__ or "").split())
    yield f"**{record.__name__}.** {said}\n"
    yield "| key | holds | if left out |\n|---|---|---|"
    for one in msgspec.structs.fields(record):
        yield f"| `{one.encode_name}` | {told(one.type)} | {_default(one)} |"
    yield ""


def _default(one: msgspec.structs.FieldInfo) -> str:
    if one.default is not msgspec.NODEFAULT:
        return f"`{msgspec.json.encode(one.default).decode()}`"
    if one.default_factory is not msgspec.NODEFAULT:
        return f"`{msgspec.json.encode(one.default_factory()).decode()}`"
    return ""


PLAIN = {str: "text", int: "whole number", float: "number", bool: "true or false", NoneType: "null"}


def told(kind: object) -> str:
    """A type in the words of those who read JSON."""
    if kind in PLAIN:
        return PLAIN[typing.cast(type, kind)]
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):
        return ", or ".join(dict.fromkeys(told(argument) for argument in arguments))
    if origin is typing.Literal:
        return ", ".join(f"`{argument}`" for argument in arguments)
    if origin in (tuple, list):
        return f"list of {told(arguments[0])}"
    if origin is dict:
        return f"object; values: {told(arguments[1])}"
    return getattr(kind, "__name__", "anything")


MAKERS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "formats": formats,
    "gallery": gallery,
    "results": results,
}


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the comments and markers of a page.

    A link to Markdown outside docs/ (the README) leads to the file: it is no page of the site.
    """
    folder = (DOCS / page).parent
    text = PLACE.sub(lambda found: MAKERS[found[1]]() + "\n", source[0])
    source[0] = OUTSIDE.sub(
        lambda found: found[0] if _inside(folder / found[1]) else f"](path:{found[1]})",
        substitute(text),
    )


def _inside(path: Path) -> bool:
    return path.resolve().is_relative_to(DOCS.resolve())


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of it."""
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}
