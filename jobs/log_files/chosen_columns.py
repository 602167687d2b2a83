"""The columns of a file that tell the time, type and sequence number of events, as the user says or from a sample.

What the user does not say is derived: the column of times from names and values, that of types from the types that the
query mentions. Assumes that the sample has values of each column. Cost: the distinct values of the sample's columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.types as kinds

from cep_core.events.frame_columns import sayable
from cep_core.events.schema import Ties
from cep_core.language.hints import did_you_mean
from jobs.exits import WrongWorkload
from jobs.log_files.columns import FEW_TYPES, type_column, types_hint
from jobs.log_files.reading.given_columns import given_column
from jobs.log_files.reading.log_file import FileOptions
from jobs.log_files.times.stamps import plain
from jobs.log_files.times.time_source import TimeOptions, TimeSource

_LONG = 40
"""A column of longer values tells no event types."""


@dataclass(frozen=True)
class Reading:
    """The user's options about a file's columns; None: derived from the file."""

    time: TimeOptions = field(default_factory=TimeOptions)
    type: str | None = None
    seq: str | None = None
    ties: Ties = Ties.CONCURRENT
    lacks: Sequence[tuple[str, str]] = ()
    """(event type, attribute) pairs: events of the type lack the attribute, so equivalences do not constrain them."""
    file: FileOptions = field(default_factory=FileOptions)


@dataclass(frozen=True)
class ChosenColumns:
    """The file's columns for the engine's columns."""

    time: TimeSource
    type: str | None
    seq: str | None

    @property
    def columns(self) -> list[str]:
        return [*self.time.columns, *(name for name in (self.type, self.seq) if name is not None)]

    @property
    def note(self) -> str:
        kind = "every row is of the pattern's one type" if self.type is None else f"'{self.type}' the type"
        return f"{self.time.text}, {kind}"


def choose_columns(sample: pa.Table, reading: Reading, event_types: set[str]) -> ChosenColumns:
    """The columns by the user's options and, where these say nothing, by the sample. `event_types`: the query's.

    Raises WrongWorkload for a column that is missing, holds no times, or has no event of these types.
    """
    time = TimeSource.of(sample, reading.time)
    kind = given_column(sample, reading.type) if reading.type else type_column(sample, event_types)
    seq = given_column(sample, reading.seq) if reading.seq else None
    if kind is None and len(event_types) > 1:
        names = ", ".join(sorted(event_types))
        advice = _alike(sample, event_types) or types_hint(sample)
        raise WrongWorkload(f"no column says which event is {names}{advice}")
    if kind is None and (alike := _alike(sample, event_types)):
        raise WrongWorkload(f"no column holds '{next(iter(event_types))}'{alike}; a name like none takes every row")
    return ChosenColumns(time, kind, seq)


def _alike(sample: pa.Table, event_types: Iterable[str]) -> str:
    """A value of a column that is like an event type of the pattern, as the end of a message; else empty."""
    for name in sample.column_names:
        if not kinds.is_string(plain(sample[name].type)):
            continue
        values = [value for value in sample[name].unique().to_pylist() if value and len(value) <= _LONG]
        for event_type in sorted(event_types) if len(values) <= FEW_TYPES else ():
            if (advice := did_you_mean(event_type, map(sayable, values))).endswith("?"):
                return f"; {advice} (column '{name}')"
    return ""
