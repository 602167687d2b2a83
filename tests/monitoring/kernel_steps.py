"""What a call costs, in lines of kernels that are carried out: a count that no busy machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

Steps = Callable[[Callable[[], object]], int]


@contextmanager
def kernel_steps(engine: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    """Counts the lines of kernels that a call carries out, with all kernels of an engine as plain Python."""
    for name, module in list(sys.modules.items()):
        if name.startswith(engine):
            for attribute, value in list(vars(module).items()):
                if isinstance(value, CPUDispatcher):
                    monkeypatch.setattr(module, attribute, value.py_func)

    def counted(call: Callable[[], object]) -> int:
        lines = 0

        def trace(frame: FrameType, event: str, _: object) -> Any:
            nonlocal lines
            lines += event == "line"
            return trace if "/kernels/" in frame.f_code.co_filename else None

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            call()
        finally:
            sys.settrace(before)
        return lines

    with np.errstate(over="ignore"):  # hashes wrap around
        yield counted
