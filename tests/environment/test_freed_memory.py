"""Arrays that are made again and again take the memory of those before, from a process's first call on."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

ROUNDS = """
import resource, sys
import numpy as np
if sys.argv[1] == "kept":
    import cep_core.arrays
for each in range(60):
    if each == 10:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(100_000) for _ in range(6)]
    del arrays
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
PAGES = 6 * 100_000 * 8 // os.sysconf("SC_PAGESIZE")
"""The pages of one round's arrays."""


def new_pages(way: str) -> int:
    """How many pages fifty rounds of arrays take from the system."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    run = [sys.executable, "-c", ROUNDS, way]
    return int(subprocess.run(run, env=plain, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back by these limits")
def test_arrays_take_the_memory_of_those_before() -> None:
    """Without the module nearly every round's arrays are new pages: that is what it is for."""
    assert new_pages("kept") < PAGES < 10 * PAGES < new_pages("left")
