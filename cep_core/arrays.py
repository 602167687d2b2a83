"""Types of the arrays that kernels read, the code of an absent minimum, and ranks of values. All engines share them.

Numba compiles a kernel once more for arrays that may not be written, as those of Arrow, and for arrays with gaps. So
what only sometimes comes from Arrow is handed over by `read_only`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.freed_memory import keep_freed_memory

keep_freed_memory()  # whoever computes with arrays imports this module

Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

Some = TypeVar("Some", bound=np.generic)

NOTHING = np.iinfo(np.int64).max
"""The code of a minimum over no occurrences. No value has this code."""


def read_only(array: npt.NDArray[Some]) -> npt.NDArray[Some]:
    """The array without gaps, and so that nothing can be written to it. No copy if it has no gaps.

    >>> own = np.arange(3)
    >>> read_only(own).flags.writeable, own.flags.writeable, np.shares_memory(own, read_only(own))
    (False, True, True)
    """
    whole = np.ascontiguousarray(array).view()
    whole.flags.writeable = False
    return whole


def side_by_side(columns: Sequence[Ints], rows: int) -> Ints:
    """[rows, columns]; one column alone is not copied.

    >>> side_by_side([np.array([3, 1]), np.array([4, 2])], 2).tolist(), side_by_side([], 2).shape
    ([[3, 4], [1, 2]], (2, 0))
    """
    if len(columns) == 1:
        return columns[0][:, np.newaxis]
    return np.stack(columns, axis=1) if columns else np.zeros((rows, 0), np.int64)


def distinct(values: Ints) -> Ints:
    """The values in ascending order, each once. Cost: a sort. NumPy's `unique` looks each value up in a hash table,
    which takes a hundred times as long where a million are different.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ascending = np.sort(values)
    return ascending[differ(ascending)]


def differ(*keys: Ints) -> Flags:
    """For each place, whether a key differs from that of the place before; it does at the first one.

    >>> differ(np.array([7, 7, 8, 8]), np.array([0, 0, 0, 1])).tolist()
    [True, False, True, True]
    """
    first, *others = keys
    new = np.ones(len(first), np.bool_)
    np.not_equal(first[1:], first[:-1], out=new[1:])
    for key in others:
        new[1:] |= key[1:] != key[:-1]
    return new


def are_in_order(*keys: Ints) -> bool:
    """Whether tuples of keys ascend, or stay equal, from place to place.

    >>> are_in_order(np.array([1, 1, 2]), np.array([3, 4, 0])), are_in_order(np.array([1, 1]), np.array([4, 3]))
    (True, False)
    """
    undecided = np.ones(max(len(keys[0]) - 1, 0), np.bool_)
    for key in keys:
        if (undecided & (key[1:] < key[:-1])).any():
            return False
        undecided &= key[1:] == key[:-1]
    return True


def runs_of(values: Ints) -> Iterator[tuple[int, int, int]]:
    """(value, first place, place after) of each run of equal values.

    >>> list(runs_of(np.array([4, 4, 9]))), list(runs_of(np.array([])))
    ([(4, 0, 2), (9, 2, 3)], [])
    """
    begins = np.flatnonzero(differ(values))
    places = [*begins.tolist(), len(values)]
    return zip(values[begins].tolist(), places[:-1], places[1:], strict=True)


def repeated(value: bool | int, n: int) -> npt.NDArray[Any]:
    """[n] one value, which nobody may write. It takes no memory until some of it is taken.

    >>> repeated(1, 3).tolist(), repeated(False, 2)[np.array([0])].dtype
    ([1, 1, 1], dtype('bool'))
    """
    one = np.array(value)
    same: npt.NDArray[Any] = np.ndarray((n,), one.dtype, one, strides=(0,))  # `broadcast_to` takes ten times as long
    same.flags.writeable = False
    return same


class _Described:
    """Memory of an Arrow array, described as NumPy takes it from any object; it lives as long as an array of it."""

    def __init__(self, values: pa.Array) -> None:
        self._values = values
        address = values.buffers()[1].address + 8 * values.offset
        self.__array_interface__ = {
            "version": 3,
            "typestr": "<i8",
            "shape": (len(values),),
            "data": (address, False),
        }


def lent(values: pa.Array) -> Ints:
    """64-bit integers without NULL as an array of the kind that kernels are compiled for, without a copy.

    NumPy takes it for an array that may be written. Nobody may: kernels that are given `Ints` only read them.

    >>> column = pa.array([3, 1, 2])[1:]
    >>> lent(column).tolist(), lent(column).flags.writeable, np.shares_memory(lent(column), column.to_numpy())
    ([1, 2], True, True)
    """
    return np.asarray(_Described(values)) if len(values) else np.zeros(0, np.int64)


def value_ranks(values: pa.Array) -> Ints:
    """[values] The rank of each value among the different ones, texts by their bytes; -1: null.

    >>> value_ranks(pa.array(["b", None, "a", "b"])).tolist()
    [1, -1, 0, 1]
    """
    coded = values.dictionary_encode()
    different = len(coded.dictionary)
    ranks = np.full(different + 1, -1)
    ranks[pc.sort_indices(coded.dictionary).to_numpy()] = np.arange(different)
    return ranks[coded.indices.fill_null(different).to_numpy()]
