"""Runs mypy without looking for garbage, which takes a quarter of its time and finds little to free.

Takes mypy's arguments. It needs 1.2 GB instead of 0.5. Measured: `docs/decisions/0018-where-test-time-goes.md`.
"""

from __future__ import annotations

import gc

from mypy.__main__ import console_entry

if __name__ == "__main__":
    gc.disable()
    gc.enable = lambda: None  # mypy looks again after it has read its cache
    console_entry()
