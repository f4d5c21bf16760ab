"""`trope` with toy encoders, for stages that are processes; TOY_KILLED names one that is killed."""

from __future__ import annotations

import os
import signal
import sys

import pytest
import tiny

from trope.cli.main import run as run_trope
from trope.train.encoder import run


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    patch = pytest.MonkeyPatch()
    tiny.shrink(patch, run)
    if os.environ.get("TOY_KILLED") == sys.argv[-1]:
        patch.setattr(run, "save", die)  # in the middle of writing the weights
    run_trope()
