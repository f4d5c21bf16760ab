"""The machine a benchmark ran on: its processor by name, and the memory of a process."""

from __future__ import annotations

import platform
import re
import resource
import sys
from pathlib import Path


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
