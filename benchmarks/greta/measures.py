"""How `trends.py` measures: process time and resident memory of calls, and lines that compare numbers with targets."""

from __future__ import annotations

import ctypes
import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

LIMIT = 1.0
"""CPU-seconds after which a call is not repeated, and a way is not tried on larger inputs."""


@dataclass(frozen=True)
class Row:
    """A number and its target: the least that it should be, or the most if it is in seconds or per cent."""

    label: str
    number: float
    unit: str = "M events/s"
    bar: float | None = None

    def __str__(self) -> str:
        line = f"{self.label:<92} {self.number:>9.3g} {self.unit}"
        if self.bar is None:
            return line
        ratio = self.bar / self.number if self.unit in ("CPU-s", "%") else self.number / self.bar
        sign = "<=" if self.unit in ("CPU-s", "%") else ">="
        return f"{line}; bar {sign} {self.bar:g}: {'met' if ratio >= 1 else 'MISSED'}, {ratio:.2f} x"


@dataclass(frozen=True)
class Point:
    """What one way needed for one input."""

    seconds: float
    peak: float
    """Growth of resident memory, in bytes."""
    answer: int


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """The least process time of some runs, after a first run that compiles kernels or loads compiled ones."""
    run()
    best = math.inf
    for _ in range(times):
        begin = time.process_time()
        run()
        best = min(best, time.process_time() - begin)
    return max(best, 1e-9)


def measured(run: Callable[[], int], times: int = 5) -> Point:
    """The least CPU time of some runs, and how much the resident memory of the process grew at its peak."""
    best, peak, answer = math.inf, 0.0, 0
    for number in range(times):
        gc.collect()
        pa.default_memory_pool().release_unused()
        ctypes.CDLL(None).malloc_trim(0)  # else memory that earlier calls freed would hide the need of this one
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
        before = _resident("VmRSS")
        begin = time.process_time()
        answer = run()
        best = min(best, time.process_time() - begin)
        peak = max(peak, _resident("VmHWM") - before)
        if number and best > LIMIT / 2:  # the first run may have compiled
            break
    return Point(max(best, 1e-6), max(peak, 4096.0), answer)


def exponent(sizes: Sequence[float], spent: Sequence[float]) -> float:
    """The exponent of growth: the slope of log time over log size."""
    return float(np.polyfit(np.log(sizes), np.log(spent), 1)[0])


def _resident(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return float(line.split()[1]) * 1024
    raise ValueError(name)
