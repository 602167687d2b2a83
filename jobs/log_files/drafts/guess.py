"""What the rows of a file show about a log: its time, its event types, their attributes. Each is a guess, and told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from cep_core.events.exact_columns import exact_column
from jobs.exits import WrongWorkload
from jobs.log_files.columns import holds_decimals
from jobs.log_files.drafts.named_parts import names_of, renamed_text
from jobs.log_files.drafts.spark_time import Places, SparkTime
from jobs.log_files.reading.given_columns import given_column
from jobs.log_files.times.doubts import doubts
from jobs.log_files.times.log_clock import LogClock
from jobs.log_files.times.time_source import TimeSource
from jobs.log_files.times.time_span import TimeSpan
from jobs.reports.words.quantities import counted
from jobs.workload.operating_days import UNITS

_MOST_TYPES, _MOST_NAMED = 30, 400
"""Event types that a column may tell, unasked and by name."""
_LONG = 40
_SPEAKING = re.compile(r"(^|_)(event|type|kind|action|activity|operation|method|state|status)", re.IGNORECASE)
"""Columns with such names tell event types before others do."""


@dataclass(frozen=True)
class Guess:
    """A log by its rows. `types`: the text of each event type's name in the file, by name; one without a text if no
    column tells types. `attributes`: name and type of each column that is one."""

    time: SparkTime
    type_column: str | None
    types: dict[str, str]
    attributes: dict[str, tuple[str, str]]
    span: TimeSpan
    clock: LogClock
    others: tuple[str, ...]
    without: int
    doubts: tuple[str, ...]

    @property
    def first_day(self) -> date:
        """The day of the first event, from midnight to midnight UTC."""
        return date(1970, 1, 1) + timedelta(days=self.span.first // UNITS[self.time.source.unit] // 86_400)

    @property
    def lines(self) -> Iterator[str]:
        """Lines that say each guess, and what is odd about it."""
        first = next(iter(self.types))
        kind = f"each row is {_an(first)}" if self.type_column is None else f"'{self.type_column}' the type"
        more = f" (or --type {', '.join(self.others[:3])}?)" if self.others else ""
        yield f"{self.time.source.text}, {kind}{more}; {self.span.text(self.clock)}"
        yield from self.span.oddities(self.clock, is_unit_guessed=self.time.source.is_unit_guessed)
        yield from self.doubts
        if self.clock.wall is None:
            yield "these times are no dates, so the log's days are in 1970; --origin says when its time 0 was"
        if self.without:
            yield f"{counted(self.without, 'row')} without a time or a type, which give no event"
        if renamed := renamed_text({text: name for name, text in self.types.items() if text}):
            yield f"event types by names that queries can say: {renamed}"
        if renamed := renamed_text({column: name for column, (name, _) in self.attributes.items()}):
            yield f"attributes by names that queries can say: {renamed}"


@dataclass(frozen=True)
class Rows:
    """The rows of a file of a format, without records in them. `places`: where columns are in the file."""

    table: pa.Table
    form: str
    places: Places

    @property
    def left_out(self) -> dict[str, str]:
        """Columns that no workload can declare, with the reason."""
        reasons: dict[str, str] = {}
        spelt: dict[str, str] = {}
        for name, (top, *fields) in self.places.items():
            stored = self.table.schema.field(name).type
            is_first = spelt.setdefault(top.lower(), top) == top
            if top.startswith("_") or "`" in top or not top.strip() or not top.isprintable():
                reasons[name] = "a column's name is not blank, begins with no '_' and holds no ` or control character"
            elif not is_first:
                reasons[name] = f"it is '{spelt[top.lower()]}' in another case, and SQL does not tell them apart"
            elif self.form == "parquet" and (fields or not _is_loaded(stored)):
                reasons[name] = f"no load reads {'records' if fields else stored} of Parquet"
            elif self.form == "parquet" and _are_beyond(self.table[name]):
                reasons[name] = "its whole numbers are beyond 64 bits; write them as texts"
        return reasons


def guess(rows: Rows, source: TimeSource, type_column: str | None, *, only_type: str, zone: str) -> Guess:
    """From a file's rows, in which the source's columns are as the file has them.

    `only_type`: the type of all events if no column tells types. Raises WrongWorkload for columns that are missing or
    hold nothing fit.
    """
    table = rows.table
    stamps = source.stamps(table)
    if kinds.is_time(stamps.type) and source.origin is None:
        raise WrongWorkload(
            f"'{source.name}' holds times of day, not moments: --origin says of which day, --ts DATE+TIME adds it"
        )
    time = SparkTime.of(source, table, stamps, rows.form, rows.places)
    others: tuple[str, ...] = ()
    if type_column is not None:
        type_column = given_column(table, type_column)
    else:
        type_column, *others = [*_type_columns(table), None]  # type: ignore[assignment]
        others = tuple(name for name in others if name is not None)
    left_out = rows.left_out
    for name in (*source.columns, *([type_column] if type_column else [])):
        if name in left_out:
            raise WrongWorkload(f"'{name}' is needed, and a workload cannot declare it: {left_out[name]}")
    types = {only_type: ""} if type_column is None else _types(table[type_column], type_column)
    columns = [name for name in table.column_names if name not in (*source.columns, type_column)]
    attributes = {
        name: (plain, "float" if holds_decimals(table[name]) else attribute_type_of(table.schema.field(name).type))
        for name, plain in names_of(columns).items()
        if name not in left_out
    }
    moments = time.source.moments(stamps)
    times = moments.drop_null()
    span = TimeSpan.of(times, times.take(pc.sort_indices(times)))
    if span is None:
        raise WrongWorkload(f"'{source.name}' has no time in any row")
    lost = pc.is_null(moments)
    if type_column is not None:
        lost = pc.or_(lost, pc.is_null(table[type_column]))
    clock = LogClock.of(time.source.unit, zone, are_dates=source.are_dates(stamps))
    without = pc.sum(lost.cast(pa.int64())).as_py()
    odd = tuple(doubts(source, table))
    return Guess(time, type_column, types, attributes, span, clock, others, without, odd)


def attribute_type_of(arrow: pa.DataType) -> str:
    """The declared type of an attribute or column of this type."""
    if kinds.is_boolean(arrow):
        return "bool"
    if kinds.is_integer(arrow):
        return "int"
    if kinds.is_decimal(arrow):
        return "int" if arrow.scale <= 0 else "float"
    return "float" if kinds.is_floating(arrow) else "string"


def _are_beyond(column: pa.ChunkedArray) -> bool:
    """Whether numbers of a column are too large for a load's integers."""
    exact, _ = exact_column(column, "")
    return exact.type != column.type and kinds.is_string(exact.type)


def _is_loaded(arrow: pa.DataType) -> bool:
    """Whether a load reads a column of Parquet of this type."""
    is_other = kinds.is_nested(arrow) or kinds.is_time(arrow) or kinds.is_duration(arrow)
    return not (is_other or kinds.is_fixed_size_binary(arrow))


def _type_columns(table: pa.Table) -> list[str]:
    """Columns that may tell event types, the likeliest first: `event_type`, those with speaking names, then by place.

    Of others, only those whose values are names as they stand.
    """

    def fits(name: str) -> bool:
        column = table[name]
        if not kinds.is_string(column.type):
            return False
        if name == "event_type":
            return True
        values = column.drop_null().unique().to_pylist()
        if not 1 < len(values) <= _MOST_TYPES or any(not value or len(value) > _LONG for value in values):
            return False
        names = names_of(values)
        return bool(_SPEAKING.search(name)) or all(names[value] == value for value in values)

    def rank(name: str) -> tuple[bool, bool]:
        return name != "event_type", not _SPEAKING.search(name)

    return sorted(filter(fits, table.column_names), key=rank)


def _types(column: pa.ChunkedArray, name: str) -> dict[str, str]:
    """The event types that a column tells: for each name, the text that stands in the file."""
    if not (kinds.is_string(column.type) or kinds.is_integer(column.type) or kinds.is_boolean(column.type)):
        raise WrongWorkload(f"'{name}' cannot tell event types: it holds {column.type}")
    texts = sorted(column.cast(pa.string()).drop_null().unique().to_pylist())
    if len(texts) > _MOST_NAMED:
        raise WrongWorkload(f"'{name}' has {len(texts):,} different values, too many to be event types")
    return {plain: text for text, plain in names_of(texts, name if name[:1].isalpha() else "x").items()}


def _an(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
