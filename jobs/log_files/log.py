"""The events of a file that a query needs, in the engine's columns, and how to show their times to a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from cep_core.compile import parse_text
from cep_core.events.exact_columns import exact_column
from cep_core.events.frame_columns import not_compared
from cep_core.events.schema import LogSchema
from cep_core.events.table import attribute_type, log_schema_of, order
from cep_core.language.durations import counted_in_own_unit
from cep_core.progress.ranges import Tick
from jobs.exits import UnreadableSource, WrongWorkload
from jobs.log_files.chosen_columns import ChosenColumns, Reading, choose_columns
from jobs.log_files.columns import (
    attributes,
    holds_decimals,
    read_decimals,
    sayable_types,
)
from jobs.log_files.reading.log_file import ENCODED
from jobs.log_files.reading.several_files import LogFiles, open_log
from jobs.log_files.times.doubts import doubts
from jobs.log_files.times.log_clock import LogClock
from jobs.log_files.times.time_span import TimeSpan
from jobs.workload.files.problems import nearest

_IMPRECISE = ("ts_lo", "ts_hi")


@dataclass(frozen=True)
class Log:
    """Events in (ts, seq) order, and how the file was understood. `seq` is the row in it, from 1, unless given.

    `notes` tell the user how columns were understood and which rows were left out.
    """

    events: pa.Table
    schema: LogSchema
    clock: LogClock
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Wanted:
    """What a question wants of a log's file: event types and attributes, further columns, and a schema that fits.

    `fits` raises QueryError for a schema that makes the question wrong. `every_column`: whether attributes are meant by
    their position, so that all columns are read. `bare_spans`: its spans of time that are numbers without a unit.
    """

    mentioned: LogSchema
    fits: Callable[[LogSchema], object]
    further: tuple[str, ...] = ()
    every_column: bool = False
    bare_spans: tuple[str, ...] = ()


def wanted_by(text: str, name: str) -> Wanted:
    """What the text of a query wants; `name` is its file's, for messages. Raises QueryError."""
    written = parse_text(text, name)
    return Wanted(
        written.mentioned, lambda schema: written.bind(schema).explain(), bare_spans=written.spans_without_unit
    )


def read_log(names: Sequence[str], wanted: Wanted, reading: Reading, tick: Tick) -> Log:
    """The events that a query needs, of the files that the user names.

    Raises QueryError if the file's columns make the query wrong, before the whole file is read; WrongWorkload for
    columns that are missing or hold no times; RunError and UnreadableSource for the file.
    """
    file = open_log(names, reading.file)
    event_types = list(wanted.mentioned.types)
    mentioned = {*wanted.mentioned.columns, *chain.from_iterable(wanted.mentioned.types.values()), *wanted.further}
    _refuse_bytes(file, file.sample, {*mentioned, *([reading.type] if reading.type else [])})
    chosen = choose_columns(file.sample, reading, set(event_types))
    for _, attribute in reading.lacks:
        if attribute not in file.sample.column_names:
            raise WrongWorkload(f"--lacks: no column '{attribute}'; {nearest(attribute, file.sample.column_names)}")
    if problem := not_compared(file.sample, mentioned - set(wanted.further)):
        is_time = any(f"'{name}'" in problem for name in chosen.time.columns)
        raise WrongWorkload(f"{problem}{'; its time is called ts' if is_time else ''}")
    if wanted.every_column:
        mentioned |= set(file.sample.column_names)
    decimals = [name for name in file.sample.column_names if name in mentioned and holds_decimals(file.sample[name])]
    sample = _events(_understood(file.sample, chosen, decimals), chosen, event_types)[0]
    if not any(
        kinds.is_null(file.sample.schema.field(name).type) for name in mentioned & set(file.sample.column_names)
    ):
        wanted.fits(_schema(sample, chosen, reading, event_types))
    needed = [*chosen.columns, *(name for name in file.sample.column_names if name in {*mentioned, *_IMPRECISE})]
    table, notes_of_files = file.read(list(dict.fromkeys(needed)), tick)
    _refuse_bytes(file, table, {*mentioned, *chosen.columns})
    chosen = replace(chosen, time=chosen.time.over(table, reading.time))
    events, are_dates = _events(_understood(table, chosen, decimals), chosen, event_types)
    types_of_log = {*event_types, *events["event_type"].unique().to_pylist()}
    for event_type, _ in reading.lacks:
        if event_type not in types_of_log:
            raise WrongWorkload(f"--lacks: no event is of type '{event_type}'; {nearest(event_type, types_of_log)}")
    try:
        ordered = order(events)
    except ValueError as error:
        raise WrongWorkload(f"{file.name}: {_named(str(error), chosen)}") from error
    clock = LogClock.of(chosen.time.unit, reading.time.zone, are_dates=are_dates)
    span = TimeSpan.of(events["ts"], ordered["ts"])
    notes = [
        *notes_of_files,
        "; ".join([chosen.note, *([] if span is None else [span.text(clock)])]),
        *([] if span is None else span.oddities(clock, is_unit_guessed=chosen.time.is_unit_guessed)),
        *doubts(chosen.time, table),
        *([counted] if are_dates and (counted := counted_in_own_unit(wanted.bare_spans, chosen.time.unit)) else []),
        *(f"'{name}' holds numbers as text; they are read as numbers" for name in decimals),
        *_rounded(table, mentioned),
        *_renamed(table, chosen),
        *_left_out(table, events),
        *_unheard(events, event_types),
    ]
    return Log(ordered, _schema(events, chosen, reading, event_types), clock, tuple(notes))


def _refuse_bytes(file: LogFiles, table: pa.Table, names: Iterable[str]) -> None:
    """Raises UnreadableSource for a column that a question needs and that is no text in UTF-8."""
    for name in sorted(set(names) & set(table.column_names)):
        if kinds.is_binary(table.schema.field(name).type):
            raise UnreadableSource(Path(file.name), f"column '{name}' is not UTF-8{ENCODED}")


def _named(problem: str, chosen: ChosenColumns) -> str:
    """A problem of one of the engine's columns, reported with the name of the file's column."""
    for engine_name, name in (("ts", chosen.time.name), ("seq", chosen.seq)):
        problem = problem.replace(f"'{engine_name}'", f"'{name}'") if name is not None else problem
    return problem


def _understood(table: pa.Table, chosen: ChosenColumns, decimals: Sequence[str]) -> pa.Table:
    """Numbers that the file holds as text, converted."""
    read = {name: read_decimals(table[name], name) for name in decimals if name not in chosen.time.columns}
    return pa.table({name: read.get(name, table[name]) for name in table.column_names})


def _events(table: pa.Table, chosen: ChosenColumns, event_types: Sequence[str]) -> tuple[pa.Table, bool]:
    """The engine's columns, without rows that lack a time or a type; and whether times can be shown as dates."""
    if chosen.type is None:
        kind: pa.ChunkedArray | pa.Array = pa.repeat(pa.scalar(event_types[0]), table.num_rows)
    else:
        kind = table[chosen.type]
        if attribute_type(kind.type) is None and not kinds.is_null(kind.type):
            raise WrongWorkload(f"'{chosen.type}' holds no event types but {kind.type}")
        kind = sayable_types(kind.cast(pa.string()))
    stamps = chosen.time.stamps(table)
    if chosen.time.columns == (chosen.time.name,) and kinds.is_temporal(stamps.type):
        table = table.drop_columns([chosen.time.name])  # no attribute: it would be compared as text
    times = chosen.time.moments(stamps)
    columns: Mapping[str, pa.ChunkedArray | pa.Array] = {
        "event_type": kind,
        "ts": times,
        "seq": pa.array(np.arange(1, table.num_rows + 1)) if chosen.seq is None else table[chosen.seq],
        **{name: _shifted(table[name], chosen) for name in _IMPRECISE if name in table.column_names},
        **attributes(table),
    }
    events = pa.table(dict(columns))
    is_complete = pc.and_(pc.is_valid(events["event_type"]), pc.is_valid(events["ts"]))
    are_dates = chosen.time.are_dates(stamps)
    return events if pc.all(is_complete).as_py() else events.filter(is_complete), are_dates


def _shifted(column: pa.ChunkedArray, chosen: ChosenColumns) -> pa.ChunkedArray:
    """An earliest or latest time, which counts from where the time counts."""
    is_number = kinds.is_integer(column.type)
    return pc.add_checked(column, chosen.time.origin) if chosen.time.origin is not None and is_number else column


def _schema(events: pa.Table, chosen: ChosenColumns, reading: Reading, event_types: Sequence[str]) -> LogSchema:
    """The schema: every type has every column, except columns that the user says it lacks."""
    schema = replace(log_schema_of(events, chosen.time.unit, reading.ties), imprecision=_imprecision(events))
    if not reading.lacks:
        return schema
    lacking: dict[str, set[str]] = {}
    for event_type, attribute in reading.lacks:
        lacking.setdefault(event_type, set()).add(attribute)
    types = {
        name: {key: kind for key, kind in schema.columns.items() if key not in lacking.get(name, ())}
        for name in (*schema.types, *event_types)
    }
    return LogSchema(types, chosen.time.unit, reading.ties, imprecision=schema.imprecision)


def _imprecision(events: pa.Table) -> dict[str, tuple[int, int]]:
    """For each event type: how much earlier and later than `ts` an event may have happened, by its columns.

    The reach of a query includes it. Columns that cannot be read are refused later, by queries that need them.
    """
    limits = [name for name in _IMPRECISE if name in events.column_names]
    if not limits or any(not pa.types.is_integer(events[name].type) or events[name].null_count for name in limits):
        return {}
    ts = events["ts"]
    low, high = (events[name] if name in limits else ts for name in _IMPRECISE)
    apart = {"early": pc.subtract(ts, low), "late": pc.subtract(high, ts)}
    most = pa.table({"event_type": events["event_type"], **apart}).group_by("event_type")
    rows = most.aggregate([("early", "max"), ("late", "max")]).to_pylist()
    return {str(row["event_type"]): (max(row["early_max"], 0), max(row["late_max"], 0)) for row in rows}


def _rounded(table: pa.Table, mentioned: set[str]) -> list[str]:
    """Columns that a query needs and whose numbers became others, or texts."""
    names = [name for name in table.column_names if name in mentioned]
    return [note for name in names if (note := exact_column(table[name], name)[1]) is not None]


def _renamed(table: pa.Table, chosen: ChosenColumns) -> list[str]:
    """Event types that queries call by other names."""
    if chosen.type is None:
        return []
    kind = table[chosen.type].cast(pa.string())
    names = sorted(
        set(zip(kind.unique().to_pylist(), sayable_types(kind.unique()).to_pylist(), strict=True)) - {(None, None)}
    )
    renamed = [f"{name} for '{text}'" for text, name in names if name != text]
    return [f"queries call types so: {', '.join(renamed[:8])}{', ...' if len(renamed) > 8 else ''}"] if renamed else []


def _left_out(table: pa.Table, events: pa.Table) -> list[str]:
    lost = table.num_rows - events.num_rows
    return [f"{lost:,} of {table.num_rows:,} rows have no time or no type and are left out"] if lost else []


def _unheard(events: pa.Table, event_types: Sequence[str]) -> list[str]:
    """Types of the pattern that no event has; they are probably misspelt."""
    present = pc.unique(events["event_type"]).to_pylist()
    shown = ", ".join(sorted(present)[:8]) + (", ..." if len(present) > 8 else "")
    return [
        f"no event is of type '{name}'; there are {shown}" for name in dict.fromkeys(event_types) if name not in present
    ]
