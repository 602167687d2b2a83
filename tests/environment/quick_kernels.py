"""Kernels for `test_quick_compiler.py`: two that Python calls, which share one that only kernels call.

They lie in a module that is imported, as Numba's cache needs it.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from cep_core.inner_kernels import inner


class Numbers(NamedTuple):
    """Arrays that a kernel takes together."""

    values: np.ndarray[Any, Any]
    weights: np.ndarray[Any, Any]


@inner
def product(numbers: Numbers, i: int) -> int:
    """A kernel that raises needs the names that its process keeps for it."""
    if numbers.weights[i] < 0:
        raise ValueError("a weight below 0")
    values = numbers.values[i : i + 1]
    return values[0] * numbers.weights[i]


@njit(cache=True)
def totals(numbers: Numbers) -> int:
    """The sum of all products: no array is made."""
    total = 0
    for i in range(len(numbers.values)):
        total += product(numbers, i)
    return total


@njit(cache=True)
def parts(numbers: Numbers) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The products, and an array of the arguments: both have one more holder than before."""
    made = np.empty_like(numbers.values)
    for i in range(len(made)):
        made[i] = product(numbers, i)
    return made, numbers.weights


@njit(cache=True)
def chosen(numbers: Numbers, rows: np.ndarray[Any, Any]) -> int:
    """An array as the index makes a new array."""
    return numbers.values[rows].sum()


@njit(cache=True)
def mixed(numbers: Numbers, rounds: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
    """Variables that have an argument at first and then an array made here, alone and within a tuple; a part of an
    argument that is returned, and one that is not."""
    current, pair, total = numbers.values, numbers, 0
    for i in range(rounds):
        borrowed = pair.weights[1:]
        total += borrowed[0] + current[i] + product(pair, i)
        current = pair.values + 1
        pair = Numbers(current, numbers.weights)
        current = current * 1
        after = np.full(len(current), -1)  # takes the place of what has been freed too early
        total += after[0] + 1
    rest = numbers.values[1:]
    return pair.values[:2], rest, total


@njit(cache=True)
def tail(numbers: Numbers) -> np.ndarray[Any, Any]:
    """A part of an argument, and nothing else that counts."""
    return numbers.values[1:]


@njit(cache=True)
def turned(matrix: np.ndarray[Any, Any], rounds: int) -> tuple[int, np.ndarray[Any, Any], int, int]:
    """Arrays that change places in branches and loops, that are cut while they are read, and that get another shape."""
    one, other, total = matrix[0], matrix[1].copy(), 0
    for i in range(rounds):
        here = one if i % 2 else other[::-1]
        for j in range(len(other)):
            if j < len(here):
                total += here[j] * (j + 1)
                if here[j] % 3 == 1:
                    here = here[1:]
        one, other = other, one
        flat = matrix.reshape(matrix.size)
        flat[i] += len(here)
        high = matrix.reshape((matrix.shape[1], matrix.shape[0]))
        high[1:, 0] = high[0, 1] + i
        total += high[-1].sum() + np.ascontiguousarray(matrix.T).reshape(matrix.size)[i]
    left = matrix[:, ::2]
    return total, left, left.shape[0] * left.shape[1], len(one.reshape((1, one.size, 1))[0])


def holders(numbers: Numbers) -> list[int]:
    """How many hold each array."""
    return [sys.getrefcount(array) for array in numbers]


def main(kernel: str) -> None:
    """Compile the kernel as set-up does. Print its error, its answer, and by how many each array has more holders."""
    from compiling.quick_compiler import quicken_compiler

    quicken_compiler()
    if kernel == "turned":
        matrix = np.arange(12).reshape(2, 6)
        for how in (turned, turned.py_func):
            total, left, *sizes = how(matrix.copy(), 7)
            print(total, left.tolist(), sizes)
        return
    numbers, wrong = Numbers(np.arange(3), np.full(3, 5)), Numbers(np.arange(3), np.full(3, -1))
    before = holders(numbers)
    called = {"totals": totals, "parts": parts, "mixed": partial(mixed, rounds=3)}[kernel]
    with suppress(ValueError):
        called(wrong)
        print("no error")
    answer = called(numbers)
    if kernel == "totals":
        print(answer, chosen(numbers, np.array([2, 0])))
    elif kernel == "mixed":
        rest = tail(numbers)
        print(*answer, rest, sys.getrefcount(answer[0]))
    else:
        print(answer[0].tolist(), answer[1].tolist())
    print([now - then for now, then in zip(holders(numbers), before, strict=True)])
