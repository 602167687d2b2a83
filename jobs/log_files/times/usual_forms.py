"""Forms in which logs often write their times, to advise who must say one. Nothing is read in them unasked.

Cost: a regular expression for each form over a few texts; only where a command ends with an error.
"""

from __future__ import annotations

from itertools import product

import pyarrow as pa
import pyarrow.types as kinds

from jobs.exits import WrongWorkload
from jobs.log_files.times.forms import TimeForm
from jobs.log_files.times.stamps import plain

_DAYS = (
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d.%m.%y",
    "%y/%m/%d",
    "%d/%b/%Y",
    "%d-%b-%Y",
    "%d %b %Y",
    "%b %d %Y",
    "%b %d, %Y",
    "%Y%m%d",
)
_CLOCKS = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%H:%M:%S,%f", "%I:%M:%S %p", "%I:%M %p", "%H.%M", "%H%M%S")
_TEXTS = 200
_MOST = 2


def fitting_forms(column: pa.ChunkedArray) -> list[str]:
    """Forms that read the first texts of a column; of 3/4/2024 there are two.

    >>> fitting_forms(pa.chunked_array([["12/31/2013 5:00 PM"]])), fitting_forms(pa.chunked_array([["soon"]]))
    (['%m/%d/%Y %I:%M %p'], [])
    """
    if not kinds.is_string(plain(column.type)):
        return []
    texts = pa.chunked_array([column.cast(pa.string()).drop_null().slice(0, _TEXTS).combine_chunks()])
    if not len(texts):
        return []
    forms = [*_DAYS, "[%d/%b/%Y:%H:%M:%S %z]"]
    for day, between, clock, zone in product(_DAYS, (" ", "T", ":", ", "), _CLOCKS, ("", " %z", "%z")):
        forms.append(f"{day}{between}{clock}{zone}")
    first = texts.slice(0, 1)
    return [form for form in forms if _fits(form, first) and _fits(form, texts)][:_MOST]


def fits(form: TimeForm, column: pa.ChunkedArray) -> bool:
    """Whether a form reads all texts of a column that has some."""
    if not kinds.is_string(plain(column.type)) or column.null_count == len(column):
        return False
    try:
        form.read(column.cast(pa.string()), "")
    except WrongWorkload:
        return False
    return True


def _fits(form: str, texts: pa.ChunkedArray) -> bool:
    return fits(TimeForm(form), texts)
