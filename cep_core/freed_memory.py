"""Memory that arrays leave stays with the process, for the next arrays.

glibc gives memory at the end of its heap back to the system as soon as it is twice the largest block that was freed so
far, and takes blocks larger than that from the system one by one. A query over 100,000 events frees some arrays of 0.8
MB at once, so that each call got them anew: 500 to 800 new pages, which took as long as a third of the call. Both
limits follow the largest freed block up to 32 MB. So one such block is freed at the beginning: no page of it is
touched. Then up to 64 MB are kept. Other C libraries do not do so, and a user's MALLOC_TRIM_THRESHOLD_ counts more.
"""

from __future__ import annotations

import numpy as np

LARGEST = (1 << 25) - (1 << 16)
"""Bytes of the largest block that moves the limits, with room for what glibc and NumPy add."""


def keep_freed_memory() -> None:
    """Raises glibc's limits to their ends."""
    np.empty(LARGEST, np.uint8)
