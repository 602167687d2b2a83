"""Whether a processor has what kernels were compiled for ahead (`make worker-env`): else they end its process."""

from __future__ import annotations

import os
from collections.abc import Mapping

SECOND = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
THIRD = (*SECOND, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
NEEDS = {
    "x86-64-v2": SECOND,
    "x86-64-v3": THIRD,
    "x86-64-v4": (*THIRD, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"),
}
"""What the levels of x86-64 have, by LLVM's names. Of other names nothing is known."""


def compiled_for() -> str:
    """The processor for which this process compiles and looks for kernels; empty: the one that it runs on."""
    return os.environ.get("NUMBA_CPU_NAME", "")


def lacking(cpu: str, features: Mapping[str, bool]) -> list[str]:
    """What a processor with these features has not of those that `cpu` has.

    >>> lacking("x86-64-v2", dict.fromkeys(SECOND, True) | {"popcnt": False}), lacking("generic", {})
    (['popcnt'], [])
    """
    return [name for name in NEEDS.get(cpu, ()) if not features.get(name)]


def lacks() -> list[str]:
    """What the processor of this process has not of those that its kernels may use."""
    from llvmlite.binding import get_host_cpu_features

    return lacking(compiled_for(), get_host_cpu_features())
