"""Known weaknesses of the packages that trope is installed with, and what could not be looked up.

    python tools/audit_packages.py [requirements-hashed.txt]

Asks the Python advisory database by way of pip-audit. The status is 1 for a weakness, 2 where
packages could not be looked up: silence about them means nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LOCKED = Path(__file__).parents[1] / "requirements-hashed.txt"


def main(arguments: Sequence[str]) -> int:
    """Look all packages up, and print what is known."""
    path = Path(arguments[0]) if arguments else LOCKED
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(path), "--disable-pip"]
    done = subprocess.run(
        [*command, "--format", "json", "--progress-spinner", "off"],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        report = json.loads(done.stdout)
    except ValueError:
        cause = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        print(f"{path.name}: nothing could be looked up ({cause}); run it where the index answers")
        return 2
    lines, status = summarise(report)
    print("\n".join(lines))
    return status


def summarise(report: Mapping[str, Any]) -> tuple[list[str], int]:
    """What to print about a report of pip-audit, and the status."""
    packages = report["dependencies"]
    skipped = [one for one in packages if one.get("skip_reason")]
    weak = [one for one in packages if one.get("vulns")]
    lines = [
        f"{one['name']} {one['version']}: {found['id']}, mended in "
        f"{', '.join(found['fix_versions']) or 'no version yet'}"
        for one in weak
        for found in one["vulns"]
    ]
    lines += [f"{one['name']}: not looked up ({one['skip_reason']})" for one in skipped]
    looked = len(packages) - len(skipped)
    lines.append(f"{looked} of {len(packages)} packages looked up, {len(weak)} with weaknesses")
    return lines, 1 if weak else 2 if skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
