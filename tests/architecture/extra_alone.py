"""What an installation with one extra, or none, has to do: `python extra_alone.py [EXTRA]`.

Every module imports, unless it needs a package of another extra; every command shows its help; a
command that needs an extra runs, or names the extra to install.
"""

import importlib
import importlib.util
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path

from requirements import EXTRAS, packages_of

TEXTS = "The new tax strangles small shops.\nRain hammers roofs.\n"

# a command per extra that works with it and asks for it without it; {} is a folder
COMMANDS = {
    "annotate": "annotate import {}/project {}/project/items.jsonl",
    "files": "analyze {}/page.html --only syntax",
    "parquet": "detect {}/texts.txt --out {}/found.parquet",
    "plots": "analyze {}/texts.txt --summary --plot {}/rates.svg",
    "scale": "detect {}/texts.txt --out {}/by-ray --engine ray --workers 1",
}


def trope(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "trope", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def module_faults(extra: str) -> list[str]:
    """Modules that do not import although all that they need is declared."""
    import trope
    from trope.core.errors import MissingExtra

    if importlib.util.find_spec("django"):  # tables are imported by a process that has a database
        from trope.annotate.store.database import set_up

        set_up(SECRET_KEY="none")
    faults, here = [], packages_of(extra)
    for module in pkgutil.walk_packages(trope.__path__, "trope.", onerror=lambda name: None):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except MissingExtra as error:
            if packages_of(error.extra) <= here:
                faults.append(f"{module.name}: {error}")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] in here | {"trope"}:
                faults.append(f"{module.name}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever it is, the module does not import
            faults.append(f"{module.name}: {type(error).__name__}: {error}")
    return faults


def command_faults(extra: str) -> list[str]:
    """Commands that neither run nor name the extra that they need."""
    from trope.cli.commands import COMMANDS as NAMES

    faults = [
        f"trope {name} --help: {done.stderr}"
        for name in NAMES
        if (done := trope(name, "--help")).returncode
    ]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "texts.txt").write_text(TEXTS, encoding="utf-8")
        page = f"<p>{TEXTS}</p>"
        (Path(folder) / "page.html").write_text(page, encoding="utf-8")
        trope("annotate", "new", f"{folder}/project", "--template", "pairs")
        for needed, words in COMMANDS.items():
            done = trope(*words.replace("{}", folder).split())
            asks = f"trope[{needed}]" in done.stderr
            if packages_of(needed) <= packages_of(extra):
                if done.returncode:
                    faults.append(f"trope {words}: {done.stderr}")
            elif needed not in _brought(extra) and not (done.returncode and asks):
                faults.append(f"trope {words}: does not name trope[{needed}]: {done.stderr}")
    return faults


def _brought(extra: str) -> set[str]:
    """The extras whose packages are here by way of others."""
    missing = {
        name
        for name in EXTRAS
        for package in packages_of(name)
        if importlib.util.find_spec(package.partition("[")[0]) is None
    }
    return set(EXTRAS) - missing | {extra}


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else ""
    found = module_faults(asked) + command_faults(asked)
    sys.exit("\n".join(found) or 0)
