"""How the code is built, in numbers: modules, names, lines, cycles, and five walks through it.

    python tools/structure.py [--root OTHER_CHECKOUT] [--json] [--path]

A walk is one run of a real command (or one judgment sent to the service), made once to warm caches
and then once more under a profiler. The functions of trope are listed in the order in which that
second run first calls them, as a reader would meet them, and each step from one package to another
is a change of package. Packages that are only asked for a value are stepped over: `core` (records,
errors, files), `corpora` (readers), `metrics` and `published`. So is what another walk already
shows: the pipeline in all walks but that of the sentence. A border is a pair of packages, caller
and callee; each is counted once.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

GROUND = {"core", "corpora", "metrics", "published", "catalog", "__init__", "__main__"}
"""What is stepped over: packages that give a value and lead nowhere."""
LAYERED = {"annotate"}
"""Packages with layers of their own, which count as packages."""
PIPELINE = {"pipeline", "passes", "encoder", "text", "relations", "lexicon"}
"""What the walk of the sentence shows; `passes` and the like are names of older checkouts."""


def count_code(package: Path) -> dict[str, int]:
    """Modules, empty ones, short ones, lines and public names of a package."""
    modules = sorted(package.rglob("*.py"))
    sources = [path.read_text("utf-8") for path in modules]
    lines = [source.count("\n") for source in sources]
    return {
        "modules": len(modules),
        "empty": sum(not source.strip() for source in sources),
        "under_40_lines": sum(0 < number < 40 for number in lines),
        "lines": sum(lines),
        "public_names": sum(len(_public(source)) for source in sources),
        "classes_named_twice": len(classes_named_twice(package)),
    }


def classes_named_twice(package: Path) -> dict[str, list[str]]:
    """Public class names that several modules define, with those modules.

    Migrations are left out: Django wants each to be called `Migration`.
    """
    places: dict[str, list[str]] = {}
    for path in sorted(package.rglob("*.py")):
        if "migrations" not in path.parts:
            for name in _defined(path.read_text("utf-8"), ast.ClassDef):
                places.setdefault(name, []).append(path.relative_to(package).as_posix())
    return {name: found for name, found in places.items() if len(found) > 1}


def _defined(source: str, *kinds: type[ast.AST]) -> list[str]:
    """The names of the top-level definitions of these kinds, private ones left out."""
    body = ast.parse(source).body
    names = [node.name for node in body if isinstance(node, kinds)]  # type: ignore[attr-defined]
    return [name for name in names if not name.startswith("_")]


def _public(source: str) -> list[str]:
    """Public functions, classes, their public methods, and constants of a module."""
    names = _defined(source, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            names += _defined(ast.unparse(ast.Module(node.body, [])), ast.FunctionDef)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [t.id for t in targets if isinstance(t, ast.Name) and t.id[0] != "_"]
    return names


def count_cycles(source: Path) -> dict[str, int]:
    """Modules, and packages at any one level, that import each other in a circle."""
    import grimp

    sys.path.insert(0, str(source))
    graph = grimp.build_graph("trope", exclude_type_checking_imports=True, cache_dir=None)
    edges = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    packages = 0
    parents = {name.rpartition(".")[0] for name in graph.modules} - {""}
    for parent in parents:
        packages += len(circles(_between_children(parent, edges)))
    return {"cycles_of_modules": len(circles(edges)), "cycles_of_packages": packages}


def _between_children(parent: str, edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """Which direct children of a package import each other, at any depth."""
    depth = parent.count(".") + 2
    found: dict[str, set[str]] = {}
    for importer, imported in edges.items():
        if importer.startswith(parent + "."):
            child = ".".join(importer.split(".")[:depth])
            inside = {
                ".".join(n.split(".")[:depth]) for n in imported if n.startswith(parent + ".")
            }
            found.setdefault(child, set()).update(inside - {child})
    return found


def circles(edges: dict[str, set[str]]) -> list[set[str]]:
    """The groups of nodes that reach each other (strongly connected, more than one node)."""
    import scipy.sparse
    from scipy.sparse.csgraph import connected_components

    nodes = sorted({*edges, *(name for targets in edges.values() for name in targets)})
    number = {name: at for at, name in enumerate(nodes)}
    pairs = [(number[a], number[b]) for a, targets in edges.items() for b in targets]
    if not pairs:
        return []
    rows, columns = zip(*pairs, strict=True)
    matrix = scipy.sparse.coo_matrix(([1] * len(pairs), (rows, columns)), [len(nodes)] * 2)
    _, groups = connected_components(matrix, connection="strong")
    members: dict[int, set[str]] = {}
    for name, group in zip(nodes, groups, strict=True):
        members.setdefault(int(group), set()).add(name)
    return [group for group in members.values() if len(group) > 1]


def count_words(docs: Path) -> dict[str, int]:
    """Words of all pages, and the size of the largest."""
    pages = sorted(docs.rglob("*.md"))
    return {
        "words": sum(len(page.read_text("utf-8").split()) for page in pages),
        "largest_page_bytes": max((page.stat().st_size for page in pages), default=0),
    }


class Walk:
    """The functions of trope in the order of their first call, and the borders crossed."""

    def __init__(self, package: Path, stepped_over: set[str]) -> None:
        self.root = f"{package}{os.sep}"
        self.stepped_over = stepped_over
        self.functions: dict[tuple[str, str], str] = {}
        self.borders: set[tuple[str, str]] = set()

    def record(self, frame: FrameType, event: str, _: Any) -> None:
        """Called by the interpreter for every call."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(self.root):
            return
        if code.co_name in ("<module>", "__getattr__"):
            return
        here = self._package(code.co_filename)
        caller = self._caller(frame)
        if here in self.stepped_over:
            return
        self.functions.setdefault((code.co_filename, code.co_qualname), here)
        if caller is not None and caller not in self.stepped_over and caller != here:
            self.borders.add((caller, here))

    def _package(self, file: str) -> str:
        first, *rest = re.split(r"[/\\.]", file[len(self.root) :])
        return f"{first}.{rest[0]}" if first in LAYERED and len(rest) > 2 else first

    def _caller(self, frame: FrameType) -> str | None:
        """The package of the nearest caller that belongs to trope."""
        above = frame.f_back
        while above is not None:
            file = above.f_code.co_filename
            if file.startswith(self.root) and above.f_code.co_name != "<module>":
                return self._package(file)
            above = above.f_back
        return None

    @property
    def path(self) -> list[str]:
        """The packages in the order of the walk."""
        path: list[str] = []
        for package in self.functions.values():
            if not path or path[-1] != package:
                path.append(package)
        return path


@contextlib.contextmanager
def recorded(walk: Walk) -> Iterator[None]:
    """Whatever runs inside is recorded, threads too."""
    threading.setprofile(walk.record)
    sys.setprofile(walk.record)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def command(*words: str) -> None:
    """Run a command in this process, without its output."""
    from trope.cli.main import run

    silent = io.StringIO()
    try:
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            run(list(words))
    except SystemExit as leave:
        if leave.code not in (0, None):
            raise RuntimeError(f"trope {' '.join(words)}: {silent.getvalue()}") from None


def sentence(folder: Path) -> Callable[[], None]:
    """One sentence through `trope analyze`."""
    return lambda: command("analyze", "Rain hammers the roof.")


def judgment(folder: Path) -> Callable[[], None]:
    """One judgment, from the request to its row."""
    from visitors import annotator, judge, staged_project  # type: ignore[import-not-found]

    staged_project(folder / "project", "")
    client = annotator("Ann")

    def send() -> None:
        if judge(client).status_code != 302:
            raise RuntimeError("the judgment was not taken")

    return send


def headline_recipe(folder: Path) -> Callable[[], None]:
    """The headline recipe, from raw headlines to a judged data set."""
    from recipe_data import SMALL, write_data  # type: ignore[import-not-found]

    data = write_data(folder / "data")
    options = [word for setting in SMALL["newsmet"] for word in ("--set", setting)]
    runs = iter(range(9))
    return lambda: command(
        *("recipe", "run", "newsmet", "--simulate", "--from", str(data)),
        *("--out", str(folder / f"run{next(runs)}"), *options),
    )


def evaluation(folder: Path) -> Callable[[], None]:
    """Words and verbs of VUA scored by the shipped model."""
    import hub_folder  # type: ignore[import-not-found]

    hub_folder.write_corpora(folder / "data")
    return lambda: command(
        "evaluate", "metaphor", "--part", "headlines", "--from", str(folder / "data")
    )


def training(folder: Path) -> Callable[[], None]:
    """A detector trained from a tiny encoder."""
    import hub_folder

    hub_folder.write_encoder(folder / "model")
    hub_folder.write_corpora(folder / "data")
    settings = 'level = "sentences"\nmodel = "toy"\nepochs = 1\nrate = 5e-3\ndropout = 0.3\n'
    settings += 'batch = 4\nmax_length = 24\nclip = 1.0\nseed = 42\nbest_by = "accuracy"\n'
    (folder / "settings.toml").write_text(settings)
    runs = iter(range(9))
    return lambda: command(
        *("train", "metaphor", "--from", str(folder / "data"), "--device", "cpu"),
        *("--config", str(folder / "settings.toml"), "--model", str(folder / "model")),
        *("--on", "newsmet,lcc", "--out", str(folder / f"out{next(runs)}")),
    )


WALKS = {
    walk.__name__: walk for walk in (sentence, judgment, headline_recipe, evaluation, training)
}


def take_walk(name: str, root: Path) -> dict[str, Any]:
    """One walk, in this process; the checkout's own test builders make its data."""
    tests = root / "tests"
    sys.path[:0] = [str(root / "src"), *map(str, (tests, tests / "annotate", tests / "recipes"))]
    stepped_over = GROUND if name == "sentence" else GROUND | PIPELINE
    walk = Walk(root / "src" / "trope", stepped_over)
    with tempfile.TemporaryDirectory() as folder:
        step = WALKS[name](Path(folder))
        step()
        with recorded(walk):
            step()
    path = walk.path
    return {
        "changes": len(path) - 1,
        "packages": len(set(path)),
        "borders": len(walk.borders),
        "functions": len(walk.functions),
        "path": path,
    }


def walks(root: Path, names: Iterable[str]) -> dict[str, Any]:
    """Each walk in a process of its own, so that none warms another."""
    found = {}
    for name in names:
        process = subprocess.run(
            [sys.executable, __file__, "--root", str(root), "--walk", name],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        last = process.stderr.strip().splitlines()[-1:] or ["no output"]
        found[name] = json.loads(process.stdout) if process.returncode == 0 else {"failed": last[0]}
    return found


def main() -> None:
    """Print the numbers as a table, or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("--root", type=Path, default=here, help="checkout to count")
    parser.add_argument("--walk", choices=WALKS, help="one walk only, as JSON")
    parser.add_argument("--path", action="store_true", help="show the packages of each walk")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    root = options.root.resolve()
    if options.walk:
        print(json.dumps(take_walk(options.walk, root)))
        return
    numbers: dict[str, Any] = {
        "code": count_code(root / "src" / "trope") | count_cycles(root / "src"),
        "docs": count_words(root / "docs"),
        "walks": walks(root, WALKS),
    }
    if options.json:
        print(json.dumps(numbers, indent=2))
        return
    for name, number in {**numbers["code"], **numbers["docs"]}.items():
        print(f"{name.replace('_', ' '):24}{number:>9,}")
    print(f"\n{'walk':24}{'changes':>9}{'borders':>9}{'functions':>11}")
    for name, walk in numbers["walks"].items():
        if "failed" in walk:
            print(f"{name.replace('_', ' '):24} {walk['failed']}")
            continue
        print(f"{name.replace('_', ' '):24}{walk['changes']:>9}{walk['borders']:>9}", end="")
        print(f"{walk['functions']:>11}")
        if options.path:
            print("  " + " → ".join(walk["path"]))


if __name__ == "__main__":
    main()
