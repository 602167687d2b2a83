"""Zeros that take no memory, and no time, where nothing is written.

NumPy's zeros are of three kinds: small ones are overwritten one by one; those above 4 MiB lie in huge pages, so that a
single number takes 2 MiB, which the system clears; and the C library may overwrite what was freed before. A monitor of
a short log would spend most of its time so. The zeros made here come from the system, page by page, when first touched.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from cep_core.arrays import Ints


def fresh_zeros(shapes: Sequence[tuple[int, ...]]) -> list[Ints]:
    """An array of zeros for each shape, all of one block, which is given back with the last of them.

    >>> [array.sum().item() for array in fresh_zeros([(2, 3), (1000,)])]
    [0, 0]
    """
    sizes = list(map(math.prod, shapes))
    memory = mmap.mmap(-1, 8 * sum(sizes))
    if hasattr(mmap, "MADV_NOHUGEPAGE"):  # Linux: no huge pages, whatever is usual on the machine
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    block = np.frombuffer(memory, np.int64)
    begins = accumulate(sizes, initial=0)
    return [
        block[begin : begin + size].reshape(shape) for begin, size, shape in zip(begins, sizes, shapes, strict=False)
    ]
