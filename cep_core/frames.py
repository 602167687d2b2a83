"""Logs as people hold them in a notebook: pandas, Polars, DuckDB, Arrow, lists of rows; and answers in the same kind.

Whatever offers an Arrow stream (`__arrow_c_stream__`) is a log: data frames of pandas 2.2 and Polars, relations of
DuckDB, readers of record batches; and other data frames (`__dataframe__`), whose answers are Arrow tables. None of
these libraries is imported here: an answer is made by the library that the log came from. Time-stamps stay time-stamps:
they are whole numbers only inside the engine, of their column's own unit. Texts of ISO 8601 are time-stamps, too.
Cost: nothing for an Arrow table that has the engine's columns; else what the conversion of its columns takes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from cep_core.events.frame_columns import are_attribute_columns, attribute_columns, sayable
from cep_core.language.hints import did_you_mean

Frame = TypeVar("Frame")
"""A log in any of the kinds above."""

Moment = int | str | date | np.datetime64 | np.integer[Any]
"""A moment of a log, as people write it: a number, or where the log has time-stamps a date, a datetime or its text."""

_TIMES = ("ts", "first_ts", "last_ts", "window_start", "window_end")
"""Columns of answers that are moments of the log; the last two, from _WINDOW on, if windows are spans of time."""
_WINDOW = 3


@dataclass(frozen=True)
class NamedColumns:
    """Which columns of a log are the engine's; None: those with the engine's names."""

    ts: str | None = None
    type: str | None = None
    seq: str | None = None


@dataclass(frozen=True)
class ReadFrame:
    """A log as the engine reads it. `unit`: that of its times; `log`: as it was given; `stamp`: the type of its
    time-stamps, None for numbers. `is_unit_own`: whether nobody named the unit, so that it is that of the time-stamps.
    """

    events: pa.Table
    unit: str
    log: object
    stamp: pa.DataType | None = None
    is_unit_own: bool = False

    def number(self, moment: Moment) -> int:
        """A moment as the engine counts it; one without a zone is meant in the log's.

        Raises ValueError where the log cannot hold it: with a zone or finer than its times, or any but a number if its
        times are numbers.
        """
        if isinstance(moment, int | np.integer):
            return int(moment)
        if self.stamp is None:
            raise ValueError(f"{moment!r} is no number, and the log's times are numbers")
        value = pa.scalar(moment.item() if isinstance(moment, np.datetime64) else moment)
        if not kinds.is_timestamp(value.type):
            value = value.cast(pa.timestamp(self.stamp.unit))
        if self.stamp.tz is not None and value.type.tz is None:
            value = pc.assume_timezone(value, self.stamp.tz)
        if self.stamp.tz is None and value.type.tz is not None:
            raise ValueError(f"{moment!r} has a zone, and the log's times have none")
        return int(value.cast(self.stamp).cast(pa.int64()).as_py())

    def back(self, answer: pa.Table, *, windows_of_events: bool = False) -> Any:
        """An answer of the log's kind, with time-stamps where the log has them. `windows_of_events`: the answer's
        windows are positions of events, which stay numbers."""
        if self.stamp is not None:
            times = _TIMES[:_WINDOW] if windows_of_events else _TIMES
            answer = _with_stamps(answer, self.stamp, times)
        return _like(self.log, answer)


def read_frame(events: object, columns: NamedColumns, unit: str | None) -> ReadFrame:
    """The engine's table of a log. `unit` None: seconds for numbers, the column's own for time-stamps.

    Raises ValueError for columns that are missing, TypeError for what is no log.

    >>> log = [{"kind": "A", "at": 3}, {"kind": "B", "at": 4}]
    >>> read_frame(log, NamedColumns(ts="at", type="kind"), None).events.column_names
    ['event_type', 'ts']
    """
    table = _table(events)
    if not are_attribute_columns(table):
        table, remarks = attribute_columns(_without_views(table))
        for remark in remarks:
            warnings.warn(remark, stacklevel=3)
    if not table.column_names:
        raise ValueError("the log has no rows and no columns")
    names = {"ts": columns.ts, "event_type": columns.type, "seq": columns.seq}
    for engine, name in names.items():
        if name is not None and name not in table.column_names and sayable(name) in table.column_names:
            name = sayable(name)
        if name is None or name == engine:
            continue
        if name not in table.column_names:
            raise ValueError(f"no column '{name}'; {did_you_mean(name, table.column_names)}")
        if engine in table.column_names:
            raise ValueError(f"'{name}' shall be '{engine}', but the log has a column '{engine}', too; rename that one")
        table = table.rename_columns([engine if have == name else have for have in table.column_names])
    stored = table.schema.names
    for engine, argument in (("ts", "ts"), ("event_type", "type")):
        if engine not in stored:
            present = ", ".join(stored)
            raise ValueError(f"a log needs the column '{engine}', or its name as {argument}='...'; found {present}")
    times = table.column(stored.index("ts"))
    if times.type != pa.int64() or times.null_count:
        times = _readable_times(times, columns.ts or "ts")
        table = table.set_column(stored.index("ts"), "ts", times)
    stamp = times.type
    if kinds.is_date(stamp):
        stamp = pa.timestamp("s")
    if not (kinds.is_timestamp(stamp) or kinds.is_duration(stamp)):
        if unit is None and (likely := _unit_by_size(times)) is not None:
            reading = f"the large numbers of '{columns.ts or 'ts'}' are taken for seconds"
            warnings.warn(f"{reading}; did you mean unit='{likely}'?", stacklevel=3)
        return ReadFrame(table, unit or "s", events)
    counted = pa.duration(unit or stamp.unit)
    if kinds.is_timestamp(stamp):
        counted = pa.timestamp(unit or stamp.unit, stamp.tz)
    try:
        times = table["ts"].cast(counted).cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise ValueError(f"times are finer than unit='{unit}': {error}") from error
    table = table.set_column(table.column_names.index("ts"), "ts", times)
    return ReadFrame(table, counted.unit, events, counted, is_unit_own=unit is None)


def _unit_by_size(times: pa.ChunkedArray) -> str | None:
    """The unit in which the first of these numbers is a moment of our centuries, if that is not the second."""
    first = abs(times[0].as_py()) if len(times) and kinds.is_integer(times.type) else 0
    return next((unit for unit, least in (("ns", 10**17), ("us", 10**14), ("ms", 10**11)) if first >= least), None)


def _readable_times(times: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Texts of ISO 8601 as time-stamps, whole floats as whole numbers. Raises ValueError for what is no time."""
    if times.null_count:
        rows = "row" if times.null_count == 1 else "rows"
        raise ValueError(f"'{name}' has nulls: leave out the {times.null_count:,} {rows} without a time")
    if kinds.is_floating(times.type):
        try:
            return times.cast(pa.int64())
        except pa.ArrowInvalid as error:
            hint = "give whole numbers of a finer unit, such as milliseconds with unit='ms'"
            raise ValueError(f"'{name}' holds numbers that are not whole; {hint}") from error
    if not (kinds.is_string(times.type) or kinds.is_large_string(times.type)):
        return times
    for zone in (None, "UTC"):
        try:
            return times.cast(pa.timestamp("us", zone))
        except pa.ArrowInvalid as error:
            problem = error
    raise ValueError(f"'{name}' holds texts that are no time-stamps such as 2013-03-08T07:59:00: {problem}")


def arrow_table(events: object) -> pa.Table:
    """A frame as an Arrow table. Raises TypeError for what is none."""
    return _without_views(_table(events))


def _table(events: object) -> pa.Table:
    if isinstance(events, pa.Table):
        return events
    if isinstance(events, list | tuple):
        return _of_rows(events)
    if isinstance(events, dict):
        return _of_columns(events)
    if hasattr(events, "__arrow_c_stream__"):
        return pa.table(cast(Any, events))
    for method in (
        "collect",
        "to_arrow_table",
        "to_table",
    ):  # Polars' lazy frames, DuckDB before 1.1, Arrow's data sets
        if hasattr(events, method):
            return _table(getattr(events, method)())
    if hasattr(events, "__dataframe__"):
        from pyarrow.interchange import from_dataframe

        return from_dataframe(cast(Any, events))
    raise TypeError(
        f"{type(events).__name__} is no log: give an Arrow table, a data frame, a list of rows, or whatever has "
        "__arrow_c_stream__ or __dataframe__"
    )


def _of_rows(rows: Sequence[Any]) -> pa.Table:
    """Rows as dictionaries, with null where one lacks a key that another has; or batches."""
    if rows and all(isinstance(row, pa.RecordBatch) for row in rows):
        return pa.Table.from_batches(rows)
    if not all(isinstance(row, Mapping) for row in rows):
        raise TypeError("a list is a log if its items are dictionaries, or all are record batches")
    keys = dict.fromkeys(key for row in rows for key in row)
    return _of_columns({key: [row.get(key) for row in rows] for key in keys})


def _of_columns(columns: Mapping[Any, Any]) -> pa.Table:
    """Columns of values. Raises ValueError, which names the column, for values that no column of Arrow holds."""
    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
        except OverflowError as error:
            raise ValueError(f"'{name}' holds a whole number beyond 64 bits; give such numbers as texts") from error
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            if _are_numbers(values):
                what = "whole numbers of more than 15 digits beside floats, which would round them"
                raise ValueError(f"'{name}' holds {what}; give all of them as floats, or as texts") from error
            raise ValueError(f"'{name}' holds values of several types: {error}") from error
    return pa.table(arrays)


def _are_numbers(values: Any) -> bool:
    return all(value is None or isinstance(value, int | float) for value in values)


def _without_views(table: pa.Table) -> pa.Table:
    """Texts as Arrow's plain strings: Polars gives views of them, which few functions of Arrow take.

    Columns of a frame without rows, of which nothing is known, are texts, too; but `ts` and `seq`.
    """
    for place, field in enumerate(table.schema):
        if not table.num_rows and (kinds.is_null(field.type) or field.name == "event_type"):
            unknown = pa.int64() if field.name in ("ts", "seq") else pa.string()
            table = table.set_column(place, field.name, table.column(place).cast(unknown))
            continue
        if (plain := _without_view(field.type)) != field.type:
            table = table.set_column(place, field.name, table.column(place).cast(plain))
    return table


def _without_view(stored: pa.DataType) -> pa.DataType:
    if kinds.is_dictionary(stored):
        return pa.dictionary(stored.index_type, _without_view(stored.value_type))
    return pa.string() if kinds.is_string_view(stored) else stored


def _like(events: object, answer: pa.Table) -> Any:
    """An answer of the kind of a log. Totals, which an Arrow table has as metadata, are pandas' `attrs`."""
    library = sys.modules.get(type(events).__module__.partition(".")[0].lstrip("_"))
    if isinstance(events, pa.Table):
        return answer
    if isinstance(events, pa.RecordBatchReader):
        return answer.to_reader()
    if isinstance(events, list | tuple):
        is_batches = bool(events) and isinstance(events[0], pa.RecordBatch)
        return answer.to_batches() if is_batches else type(events)(answer.to_pylist())
    if isinstance(events, dict):
        return answer.to_pydict()
    name = getattr(library, "__name__", "")
    if name == "pandas":
        frame = answer.to_pandas()
        frame.attrs = {key.decode(): value.decode() for key, value in (answer.schema.metadata or {}).items()}
        return frame
    if name in ("polars", "duckdb"):
        frame = cast(Any, library).from_arrow(answer)
        return frame.lazy() if type(events).__name__ == "LazyFrame" else frame
    return answer


def _with_stamps(answer: pa.Table, stamp: pa.DataType, times: Collection[str]) -> pa.Table:
    for place, field in enumerate(answer.schema):
        if field.name in times and kinds.is_integer(field.type):
            answer = answer.set_column(place, pa.field(field.name, stamp), pc.cast(answer.column(place), stamp))
    return answer
