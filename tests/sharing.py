"""What takes long to make is made once for all processes that run tests."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(temporary: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process to ask for it fills; the others wait for it. Nobody may write there later.

    A process whose `make` fails leaves no folder, so that the next one tries again.
    """
    own = temporary.getbasetemp()
    shared = own.parent if own.name.startswith("popen-") else own  # pytest-xdist gives each process a subfolder
    folder = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            new = temporary.mktemp(name)
            make(new)
            new.rename(folder)
    return folder
