"""A module of this folder, run as a program of its own, so that its memory and its end are its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_apart(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The module's exit code and what it printed."""
    places = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    return subprocess.run(
        [sys.executable, "-m", f"scaling.{module}", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": places},
        check=False,
    )
