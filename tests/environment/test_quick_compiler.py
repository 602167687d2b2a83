"""What set-up changes in Numba's compiler: kernels of two processes in one cache, who holds an array, and how parts of
arrays are read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

KERNELS = Path(__file__).with_name("quick_kernels.py")


def compiled(root: Path, kernel: str, cache: Path) -> list[str]:
    """The lines that a process prints which compiles a kernel as set-up does."""
    paths = os.pathsep.join([str(root / "scripts"), str(root), str(KERNELS.parent)])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": paths}
    command = [sys.executable, "-c", f"import {KERNELS.stem} as kernels; kernels.main('{kernel}')"]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()


def test_processes_share_an_inner_kernel(root: Path, tmp_path: Path) -> None:
    """The second process finds the inner kernel that the first one has compiled, and compiles another that calls it.
    Both kernels raise what the inner one raises. An array is held longer only if it is returned."""
    assert compiled(root, "totals", tmp_path) == ["15 2", "[0, 0]"]
    assert compiled(root, "parts", tmp_path) == ["[0, 5, 10] [5, 5, 5]", "[0, 1]"]


def test_variables_that_have_arguments_and_arrays_made_here(root: Path, tmp_path: Path) -> None:
    """What the kernel makes is freed with its last holder and not before. Two returned parts of an argument hold it."""
    assert compiled(root, "mixed", tmp_path) == ["[3 4] [1 2] 51 [1 2] 3", "[2, 0]"]


def test_parts_of_arrays_that_change(root: Path, tmp_path: Path) -> None:
    """A kernel that reads lengths and places of arrays which loops and branches replace, cut and reshape does what
    Python does."""
    of_kernel, of_python = compiled(root, "turned", tmp_path)
    assert of_kernel == of_python
