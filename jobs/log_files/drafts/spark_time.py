"""A log's time in Spark SQL: a load gives events the times that commands on the file show, and that `new` tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from jobs.exits import WrongWorkload
from jobs.log_files.drafts.named_parts import sql_of
from jobs.log_files.times.forms import TimeForm
from jobs.log_files.times.stamps import Holds, held, per_number, read_stamps, without_offset
from jobs.log_files.times.time_source import TimeSource
from jobs.workload.operating_days import UNITS

Places = Mapping[str, tuple[str, ...]]
"""For each column, the file's column and the fields down to it."""
_UNIX = {"s": "unix_seconds", "ms": "unix_millis", "us": "unix_micros"}


@dataclass(frozen=True)
class SparkTime:
    """The expression of `ts` over columns of the source, and the types as which these columns must be declared.

    `declared`: by the names of the sample; fields of JSON are cast to these types.
    """

    source: TimeSource
    expression: str
    declared: dict[str, str]

    @staticmethod
    def of(
        source: TimeSource, sample: pa.Table, stamps: pa.ChunkedArray, form: str, places: Places | None = None
    ) -> SparkTime:
        """Of a source over a sample of a file of a format; `stamps` are the sample's, as `source.stamps` gave them.

        The unit of time-stamps is the coarsest that keeps the sample's apart. `places`: where columns are in the file.
        """
        places = places or {name: (name,) for name in sample.column_names}
        first = source.columns[0]
        factor = per_number(source.unit, source.numbers)
        if kinds.is_integer(stamps.type):
            number = sql_of(places[first], "int")
            return SparkTime(source, _moved(number if factor == 1 else f"{number} * {factor}", source), {first: "int"})
        if kinds.is_floating(stamps.type):
            whole = f"CAST(round({sql_of(places[first], 'float')} * {factor}) AS BIGINT)"
            return SparkTime(source, _moved(whole, source), {first: "float"})
        unit = coarsest_unit(stamps)
        if source.origin is not None:
            source = replace(source, origin=source.origin * UNITS[unit] // UNITS[source.unit])
        source = replace(source, unit=unit, numbers=unit)
        written = source.form or _form_of(source, sample)
        if written is None:
            kind = "date" if kinds.is_date(sample[first].type) else "timestamp"
            column = sql_of(places[first], kind)
            expression = f"CAST({column} AS TIMESTAMP)" if kind == "date" else column
            return SparkTime(source, f"{_UNIX[unit]}({_of_utc(expression, source, sample)})", {first: kind})
        texts = [_text(name, sample, source, written, form, places[name]) for name in source.columns]
        text = texts[0][0] if len(texts) == 1 else "concat(" + ", ' ', ".join(text for text, _ in texts) + ")"
        pattern = written.of_spark.replace("'", "''")
        moment = _of_utc(f"try_to_timestamp({text}, '{pattern}')", source, sample)
        expression = _moved(f"{_UNIX[unit]}({moment})", source)
        return SparkTime(source, expression, dict(zip(source.columns, (kind for _, kind in texts), strict=True)))


def coarsest_unit(stamps: pa.ChunkedArray) -> str:
    """The coarsest unit, down to microseconds, that keeps times apart.

    >>> coarsest_unit(pa.chunked_array([pa.array([1_500_000, 2_000_000], pa.timestamp("us"))]))
    'ms'
    """
    if kinds.is_date(stamps.type):
        return "s"
    if kinds.is_time(stamps.type):
        stamps = stamps.cast(pa.time64("us")).cast(pa.int64()).cast(pa.timestamp("us"))
    fine = stamps.cast(pa.timestamp("us"), safe=False)
    return next((unit for unit in ("s", "ms") if pc.all(pc.equal(_cut(fine, unit), fine)).as_py()), "us")


def _cut(stamps: pa.ChunkedArray, unit: str) -> pa.ChunkedArray:
    return stamps.cast(pa.timestamp(unit), safe=False).cast(stamps.type)


def _of_utc(expression: str, source: TimeSource, sample: pa.Table) -> str:
    """A time-stamp that the file has without an offset, of its zone; a time of day is of none.

    Raises WrongWorkload where some have an offset: Spark does not tell which.
    """
    has_day = source.form is None or source.form.has_date
    written = source.as_written(sample)
    if source.zone == "UTC" or not has_day or kinds.is_time(written.type):
        return expression
    if kinds.is_timestamp(written.type) and written.type.tz is not None:
        if source.form is None and without_offset(sample[source.columns[0]]):
            raise WrongWorkload(f"'{source.name}' holds times with and without an offset, which no load tells apart")
        return expression
    return f"to_utc_timestamp({expression}, '{source.zone}')"


def _moved(expression: str, source: TimeSource) -> str:
    return f"{expression} + {source.origin}" if source.origin else expression


def _form_of(source: TimeSource, sample: pa.Table) -> TimeForm | None:
    """The form in which the file writes its times, if Spark does not read them as time-stamps by itself."""
    clock = sample[source.columns[-1]]
    texts = clock.cast(pa.string())
    is_whole = not pc.any(pc.match_substring_regex(texts, "[.,]")).as_py()
    of_clock = held(clock)
    if len(source.columns) == 1 and of_clock not in (Holds.CLOCKS, Holds.MINUTES):
        has_comma = pc.any(pc.match_substring(texts, ",")).as_py() and kinds.is_timestamp(read_stamps(clock).type)
        if not has_comma:
            return None
        between = "T" if pc.any(pc.match_substring(texts, "T")).as_py() else " "
        return TimeForm(f"%Y-%m-%d{between}%H:%M:%S,%f")
    mark = "," if pc.any(pc.match_substring(texts, ",")).as_py() else "."
    of_day = "%H:%M" if of_clock is Holds.MINUTES else "%H:%M:%S" if is_whole else f"%H:%M:%S{mark}%f"
    return TimeForm(of_day if len(source.columns) == 1 else f"%Y-%m-%d {of_day}")


def _text(
    name: str, sample: pa.Table, source: TimeSource, written: TimeForm, form: str, place: tuple[str, ...]
) -> tuple[str, str]:
    """A column's text in SQL, and its declared type: a CSV file's text as it is, numbers elsewhere with their zeros."""
    column = sql_of(place, "string")
    if form == "csv" or not kinds.is_integer(sample[name].type):
        return column, "string"
    parts = written.text.split(" ")
    part = parts[source.columns.index(name)] if len(parts) == len(source.columns) else written.text
    width = TimeForm(part).width
    text = f"CAST({column} AS STRING)"
    return (f"lpad({text}, {width}, '0')" if width else text), "int"
