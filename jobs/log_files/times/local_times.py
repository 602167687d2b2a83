"""Times without an offset, as clocks of a zone show them: which moments they are.

A time that a zone skips in spring is that much later, and of a time that it has twice in autumn the first is meant, as
in Java and in Spark's `to_utc_timestamp`. Cost: a few passes over the column.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds


def moments_of_local(stamps: pa.ChunkedArray, zone: str) -> pa.ChunkedArray:
    """Time-stamps without a zone, or dates, of a zone's clocks as time-stamps of UTC.

    >>> from datetime import datetime
    >>> winter, skipped, twice = datetime(2024, 1, 31, 8), datetime(2024, 3, 31, 2, 30), datetime(2024, 10, 27, 2, 30)
    >>> for moment in moments_of_local(pa.chunked_array([[winter, skipped, twice]]), "Europe/Berlin").to_pylist():
    ...     print(moment)
    2024-01-31 07:00:00+00:00
    2024-03-31 01:30:00+00:00
    2024-10-27 00:30:00+00:00
    """
    local = _stamps(stamps)
    before = pc.assume_timezone(local, zone, ambiguous="earliest", nonexistent="earliest")
    offset = pc.subtract(pc.local_timestamp(before), before.cast(local.type))
    return pc.subtract(local, offset).cast(pa.timestamp(local.type.unit, "UTC"))


def unclear_times(stamps: pa.ChunkedArray, zone: str) -> int:
    """How many of these local times the zone skips or has twice.

    >>> from datetime import datetime
    >>> unclear_times(pa.chunked_array([[datetime(2024, 1, 31, 8), datetime(2024, 3, 31, 2, 30)]]), "Europe/Berlin")
    1
    """
    local = _stamps(stamps)
    first, last = (
        pc.assume_timezone(local, zone, ambiguous=which, nonexistent=which) for which in ("earliest", "latest")
    )
    return pc.sum(pc.not_equal(first, last).cast(pa.int64())).as_py() or 0


def _stamps(times: pa.ChunkedArray) -> pa.ChunkedArray:
    return times.cast(pa.timestamp("s")) if kinds.is_date(times.type) else times
