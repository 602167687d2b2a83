"""Types of the arrays that kernels read, and the code of an absent minimum. All engines share them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

NOTHING = np.iinfo(np.int64).max
"""The code of a minimum over no occurrences. No value has this code."""
