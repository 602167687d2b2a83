"""What whole numbers can be besides counts: times of day and days, with their digits as on a clock or in a calendar."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as kinds


def looks_like_clock(column: pa.ChunkedArray) -> bool:
    """Whether all numbers can be HHMMSS, and one is too large for a second of the day's first hundred minutes.

    >>> looks_like_clock(pa.chunked_array([[203615, 517]])), looks_like_clock(pa.chunked_array([[203675]]))
    (True, False)
    """
    if not kinds.is_integer(column.type) or not len(column):
        return False
    values = column.drop_null().to_numpy()
    fits = (values >= 0) & (values < 240_000) & (values % 100 < 60) & (values // 100 % 100 < 60)
    return bool(len(values) and fits.all() and values.max() >= 10_000)


def looks_like_days(column: pa.ChunkedArray) -> str | None:
    """The form in which all numbers can be days; None if they cannot.

    >>> looks_like_days(pa.chunked_array([[81109, 81111]])), looks_like_days(pa.chunked_array([[20081109]]))
    ('%y%m%d', '%Y%m%d')
    """
    if not kinds.is_integer(column.type) or column.null_count == len(column):
        return None
    values = column.drop_null().to_numpy()
    months, days = values // 100 % 100, values % 100
    if not ((months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)).all():
        return None
    if values.min() >= 19_700_101 and values.max() < 21_000_000:
        return "%Y%m%d"
    return "%y%m%d" if values.min() > 0 and values.max() < 1_000_000 else None
