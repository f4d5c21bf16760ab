"""The machine a benchmark ran on: its processor by name, and the memory of a process."""

from __future__ import annotations

import platform
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

TROPE = [sys.executable, "-m", "trope"]
"""The command, in a process of its own."""

# runs the command, then prints the most memory that its process held
_MEASURED = """
import atexit, runpy, sys
sys.path.insert(0, sys.argv.pop(1))
import machine
atexit.register(lambda: print(machine.peak_memory_mb(), file=sys.stderr))
runpy.run_module("trope", run_name="__main__")
"""


def describe(threads: int) -> str:
    """The processor, how it multiplies 8-bit numbers, and the number of threads; no more."""
    return f"{cpu_model()} with {products()}, {threads} thread{'s' if threads > 1 else ''}"


PRODUCTS = ("amx_int8", "avx512_vnni", "avx_vnni", "avx512bw", "avx2")
"""Instructions for products of 8-bit numbers, the fastest first."""


def products() -> str:
    """The fastest instructions for 8-bit products that the processor has."""
    try:
        found = re.search(r"^flags\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    flags = found[1].split() if found else []
    return next((name for name in PRODUCTS if name in flags), "unknown products")


def cpu_model() -> str:
    """The name of the processor as its maker gives it."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()


def peak_memory_mb() -> float:
    """The most memory that this process has held, in MB of 10⁶ bytes.

    Linux keeps `ru_maxrss` across exec, so that a child starts with the peak of its parent; the
    high-water mark of the address space begins anew.
    """
    try:
        status = Path("/proc/self/status").read_text()
        return int(re.search(r"^VmHWM:\s*(\d+) kB", status, re.M)[1]) * 1024 / 1e6
    except (OSError, TypeError):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def measure_command(*arguments: object) -> tuple[float, float]:
    """Seconds and peak memory in MB of a trope command in a process of its own."""
    code = [sys.executable, "-c", _MEASURED, str(Path(__file__).parent), *map(str, arguments)]
    started = time.perf_counter()
    done = subprocess.run(code, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.perf_counter() - started, float(done.stderr.split()[-1])
