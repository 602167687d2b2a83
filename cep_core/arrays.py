"""Types of the arrays that kernels read, the code of an absent minimum, and ranks of values. All engines share them.

Numba compiles a kernel once more for arrays that may not be written, as those of Arrow, and for arrays with gaps. So
what only sometimes comes from Arrow is handed over by `read_only`.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

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
