"""What the kernels do for a place does not depend on intervals, on the rate of points, or on the number of sub-logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

from cep_core.monitoring.propositional.arrays.columns import PointColumns
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.kernels import carries
from cep_core.monitoring.propositional.kernels.layout import columns_of
from cep_core.monitoring.propositional.kernels.nearness import BLOCK
from cep_core.monitoring.propositional.kernels.pointers import since_between, until_between

POINTS = 2000
CONSTANTS = [1, 100, 10_000]
SHAPES = {"one a stamp": (1, 1), "a hundred a stamp": (100, 1), "sub-logs of ten": (1, 200)}
"""Points a stamp, and sub-logs."""


class Read(list[int]):
    """A column that counts how often it is read."""

    reads = 0

    def __getitem__(self, place: Any) -> Any:
        self.reads += 1
        return super().__getitem__(place)

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)


def laid_out(rate: int, logs: int, constant: int) -> PointColumns:
    stamps = np.arange(POINTS) // rate
    [columns] = columns_of(Trace(stamps, {}, np.linspace(0, POINTS, logs + 1).astype(np.int64)), constant)
    return columns


@pytest.mark.parametrize("kernel", [since_between, until_between], ids=["since", "until"])
@pytest.mark.parametrize(("rate", "logs"), SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("constant", CONSTANTS)
def test_pointers_read_few_times_a_place(kernel: Any, rate: int, logs: int, constant: int) -> None:
    columns = laid_out(rate, logs, 2 * constant)
    random = np.random.default_rng(1)
    left, right = (Read(random.random(columns.places) < share) for share in (0.9, 0.1))
    times = Read(columns.times.tolist())
    held = np.empty(columns.places, np.bool_)
    kernel.py_func(left, right, Read(columns.starts.tolist()), times, (constant, 2 * constant), held)
    assert times.reads <= 5 * columns.places
    assert left.reads + right.reads <= 2 * columns.places


@pytest.mark.parametrize(("rate", "logs"), SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("constant", CONSTANTS)
def test_carries_compare_a_block_once(rate: int, logs: int, constant: int, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = laid_out(rate, logs, constant)
    random = np.random.default_rng(1)
    left, right = (columns.packed(random.random(POINTS) < share) for share in (0.9, 0.1))
    kernels: list[tuple[Any, Any]] = [
        (carries.since_within, columns.first),
        (carries.until_within, columns.last),
    ]
    compiled = [kernel(left, right, border, columns.of_words, constant) for kernel, border in kernels]
    compared: list[Any] = []

    def counted(kernel: Callable[..., Any]) -> Callable[..., Any]:
        def compare(*block: Any) -> Any:
            compared.append(block)
            return kernel(*block)

        return compare

    monkeypatch.setattr(carries, "_within_words", carries._within_words.py_func)
    for name in ("latest_witness", "earliest_witness"):
        monkeypatch.setattr(carries, name, njit(getattr(carries, name).py_func))
    for name in ("soon_after", "soon_before"):
        monkeypatch.setattr(carries, name, counted(njit(getattr(carries, name).py_func)))
    with np.errstate(over="ignore"):
        for (kernel, border), held in zip(kernels, compiled, strict=True):
            compared.clear()
            alone = kernel.py_func(left, right, border, columns.of_words, constant)
            assert len(compared) <= -(-columns.words // BLOCK)
            np.testing.assert_array_equal(alone, held)
