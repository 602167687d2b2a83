"""What a sample of a file shows about a log: its time, its event types, their attributes. Each is a guess, and told."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from jobs.exits import WrongWorkload
from jobs.log_files.columns import first_column, holds_decimals
from jobs.log_files.drafts.spark_time import SparkTime
from jobs.log_files.times.log_clock import LogClock
from jobs.log_files.times.time_source import TimeSource
from jobs.log_files.times.time_span import TimeSpan
from jobs.workload.files.problems import nearest
from jobs.workload.sections.event_types import RESERVED

_MOST_TYPES = 30
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Guess:
    """A log by its sample. `types`: the event types, one if no column tells them; `attributes`: types by name."""

    time: SparkTime
    type_column: str | None
    types: list[str]
    attributes: dict[str, str]
    span: TimeSpan
    clock: LogClock
    is_unit_guessed: bool

    @property
    def told(self) -> list[str]:
        """Lines that say each guess, and what is odd about it."""
        kind = f"each row is {_an(self.types[0])}" if self.type_column is None else f"'{self.type_column}' the type"
        return [
            f"{self.time.source.told}, {kind}; {self.span.told(self.clock)}",
            *self.span.oddities(self.clock, is_unit_guessed=self.is_unit_guessed),
            *self._far_from_now(),
        ]

    def _far_from_now(self) -> list[str]:
        if self.clock.wall is not None:
            return []
        return ["these times are no dates, so the log's days are in 1970; --origin says when its time 0 was"]


def guess(
    sample: pa.Table, form: str, source: TimeSource, type_column: str | None, *, only_type: str, zone: str
) -> Guess:
    """From a sample of a file of a format, in which the source's columns are as the file has them.

    `only_type`: the type of all events if no column tells types. Raises WrongWorkload for columns that are missing or
    hold nothing fit.
    """
    if type_column is not None and type_column not in sample.column_names:
        raise WrongWorkload(f"no column '{type_column}'; {nearest(type_column, sample.column_names)}")
    stamps = source.stamps(sample)
    if kinds.is_time(stamps.type) and source.origin is None:
        raise WrongWorkload(
            f"'{source.name}' holds times of day, not moments: --origin says of which day, --ts DATE+TIME adds it"
        )
    time = SparkTime.of(source, sample, stamps, form)
    type_column = type_column or first_column(sample, lambda field: _is_type_column(sample[field.name]))
    values = sorted(set(sample[type_column].drop_null().to_pylist())) if type_column else []
    odd = [value for value in values if not isinstance(value, str) or not _NAME.fullmatch(value)]
    if odd:
        raise WrongWorkload(f"'{type_column}' has values that cannot name event types: {odd[:5]}")
    attributes = {
        field.name: "float" if holds_decimals(sample[field.name]) else attribute_type_of(field.type)
        for field in sample.schema
        if field.name not in (*source.columns, type_column, *RESERVED) and _NAME.fullmatch(field.name)
    }
    times = time.source.moments(stamps).drop_null()
    span = TimeSpan.of(times, times.take(pc.sort_indices(times)))
    if span is None:
        raise WrongWorkload(f"'{source.name}' has no time in any row of the sample")
    clock = LogClock.of(time.source.unit, zone, are_dates=source.are_dates(stamps))
    return Guess(time, type_column, values or [only_type], attributes, span, clock, source.is_unit_guessed)


def attribute_type_of(arrow: pa.DataType) -> str:
    """The declared type of an attribute or column of this type."""
    if kinds.is_boolean(arrow):
        return "bool"
    if kinds.is_integer(arrow):
        return "int"
    return "float" if kinds.is_floating(arrow) or kinds.is_decimal(arrow) else "string"


def _is_type_column(column: pa.ChunkedArray) -> bool:
    if not kinds.is_string(column.type):
        return False
    values = column.unique().to_pylist()
    return 1 < len(values) <= _MOST_TYPES and all(value and _NAME.fullmatch(value) for value in values)


def _an(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
