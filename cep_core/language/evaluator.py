"""The interface of a compiled query for the slicer and the pipeline: atoms, reach, evaluate, merge, tables.

Paper 01 treats submonitors as black boxes. Trend aggregation and Kleene matching are wrapped in the same way, so that
one slicer, one joiner and one pipeline serve all engines (`docs/architecture.md`, "One idea carries everything").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.language.day_results import Blocks

CERTAIN = "certain"
"""Name of the int64 column of evaluated batches: the moment at which the row's result became certain."""

TOTALS = b"totals"
"""Schema-metadata key of a slice's last batch: JSON, {first moment of the day: {"matches_total": digits, ...}}."""

TABLE = b"table"
"""Schema-metadata key of a batch for a further table; its value is the table's suffix. The result's batches lack it."""

RESULT = ""
"""The suffix of the result's own table."""


@dataclass(frozen=True)
class Atom:
    """An event type that an evaluator reads, with the attributes that bind slicing variables or must equal a constant.

    Several attributes may bind the same variable; their values must then be equal. A query may have several atoms of
    one type.
    """

    event_type: str
    variables: tuple[tuple[str, str], ...] = ()
    """(attribute, slicing variable) pairs."""
    constants: tuple[tuple[str, int | float | str | bool], ...] = ()
    """(attribute, value) pairs: this atom ignores events with another value."""


@dataclass(frozen=True)
class Reach:
    """How far before the moment of certainty an evaluator must look.

    When evaluators are composed, their reaches add up.

    `time` in the log's unit, `points` in time-points, `events` in positions (`docs/semantics.md` 2). None: unbounded.
    Points are those of the whole log. The step to the previous point of a sub-log has no bound but one in time.

    >>> Reach(time=10) + Reach(time=5, points=1)
    Reach(time=15, points=1, events=0)
    """

    time: int | None = 0
    points: int = 0
    events: int = 0

    def __add__(self, other: Reach) -> Reach:
        time = None if self.time is None or other.time is None else self.time + other.time
        return Reach(time, self.points + other.points, self.events + other.events)


@dataclass(frozen=True)
class Ownership:
    """The results that belong to one slice, chosen by the values of slicing variables and by the moment of certainty.

    `owns(valuations)` takes a table with one column for each name in `variables` and returns a bool for each row; if
    columns are missing, whether the slice owns some valuation with these values. None means that the slice owns every
    valuation. `days` are ascending moments b0 < b1 < ... < bn: the slice owns results that are certain in [b0, bn), and
    `max_matches` applies to each [bi, bi+1) by itself; None means all of time as one part.
    """

    variables: tuple[str, ...] = ()
    owns: Callable[[pa.Table], npt.NDArray[np.bool_]] | None = None
    days: tuple[int, ...] | None = None
    cut: tuple[bool, bool] = (True, True)
    """Whether `days` may begin, and end, inside an operating day, so that other slices own the rest of that day."""


class Evaluate(Protocol):
    """Partial results of one slice, as `Evaluator.evaluate`."""

    def __call__(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]: ...


class Merge(Protocol):
    """One table from the partial results of all slices, as `Evaluator.merge`."""

    def __call__(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table: ...


class Combine(Protocol):
    """One slice's partial results of adjacent parts as one. `days`: the boundaries of all; `cut`: as in `Ownership`."""

    def __call__(
        self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...], cut: tuple[bool, bool]
    ) -> Iterable[pa.RecordBatch]: ...


class Explain(Protocol):
    """Partial results for a further table, from rows of the result and from the events on which these depend.

    `rows`: with the result's columns, in its order. `events` and `points`: as in `Evaluator.evaluate`, from the first
    moment that one of the rows depends on to the last. Either they are a slice's, and the rows are those of which it
    owns something (`owned`); or they are all that were published, and None if these are too many to be looked at.
    """

    def __call__(
        self, rows: pa.Table, events: pa.Table | None, points: pa.Table, owned: Ownership | None = None
    ) -> Iterator[pa.RecordBatch]: ...


@dataclass(frozen=True)
class ResultTable:
    """A table that a query fills: its result, or a further table with the result's name and a suffix.

    A table with an `evaluate` of its own is evaluated after the result; `days` then knows the result's rows and totals.
    One with `explain` is filled after the result, too. The batches of any other further table come together with those
    of the result, for all of the result's days.
    """

    suffix: str
    schema: pa.Schema
    """Its columns, without `certain`."""
    merge: Merge
    days: Blocks
    evaluate: Evaluate | None = None
    comment: str = ""
    """For a further table: what one of its rows is. `{query}` stands for the query's name."""
    variables: tuple[str, ...] = ()
    """The columns that refer to events by `seq`: the variables of matches."""
    combine: Combine | None = None
    """Makes less of the parts that one slice evaluates apart, before they travel; a merge gives the same without it."""
    explain: Explain | None = None
    """Fills the table once the result's rows are known: it explains some of them."""
    explained: int = 0
    """If nothing is `chosen`: how many rows of the result, the first of each day, `explain` is asked about."""
    chosen: Merge | None = None
    """Makes the rows that `explain` is asked about, with `certain`, in order, of the batches that come for this table
    with the result; None: they are the first rows of the result."""
    in_slices: bool = False
    """Whether slices explain the rows that they own; else no slice has all that these depend on."""
    counted_in: str = ""
    """The column of `result_days` for its exact numbers, which its merge gives as `totals`; empty: none."""
    bound: str = ""
    """What bounds the rows of all slices that a merge holds."""
    apart: str = ""
    """A column of partial rows by which they may be merged range by range; empty: all rows are merged together.

    The merges of the rows of ascending ranges, each with the metadata of all batches, are the merge of all rows, one
    range after the other; the totals are those of all. A merge then holds the rows of a range.
    """


def charges_slices(evaluator: object) -> bool:
    """Whether a query's work is counted for a slice as a whole, so that slices evaluated together take another part of
    its budget than each by itself. An evaluator that does so says it by an attribute of this name."""
    return bool(getattr(evaluator, "charges_slices", False))


def tagged(batches: Iterable[pa.RecordBatch], suffix: str) -> Iterator[pa.RecordBatch]:
    """The batches, each marked with the suffix of the further table that it belongs to."""
    for batch in batches:
        yield batch.replace_schema_metadata({**(batch.schema.metadata or {}), TABLE: suffix.encode()})


def of_table(batches: Iterable[pa.RecordBatch], suffix: str = RESULT) -> Iterator[pa.RecordBatch]:
    """The batches that belong to one table.

    >>> result = pa.RecordBatch.from_pydict({"n": [1]})
    >>> [why] = tagged([pa.RecordBatch.from_pydict({"m": [2]})], "_why")
    >>> [batch.to_pydict() for batch in of_table([result, why], "_why")], len(list(of_table([result, why])))
    ([{'m': [2]}], 1)
    """
    return (batch for batch in batches if suffix_of(batch) == suffix)


def suffix_of(batch: pa.RecordBatch) -> str:
    """The suffix of the table that a batch belongs to."""
    return str((batch.schema.metadata or {}).get(TABLE, b"").decode())


def answered(evaluator: Evaluator, events: pa.Table) -> pa.Table:
    """The result of a whole log, in (ts, seq) order: that of `evaluate` and `merge`, without `certain`.

    An evaluator with a method `whole` knows a shorter way to it.
    """
    whole: Callable[[pa.Table], pa.Table] | None = getattr(evaluator, "whole", None)
    if whole is not None:
        return whole(events)
    return evaluator.merge(of_table(evaluator.evaluate(events))).drop_columns([CERTAIN])


class Evaluator(Protocol):
    """A compiled query."""

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The event types that the query reads, with the attributes that bind its slicing variables."""

    @property
    def reach(self) -> Reach:
        """How far back from the moment of certainty a result can depend on events. Its points are the whole log's."""

    @property
    def reads(self) -> Mapping[str, tuple[str, ...]]:
        """The attributes of each event type that evaluation looks at. The slices of a run hold no other values."""

    @property
    def reads_points(self) -> bool:
        """Whether `evaluate` needs the time-points: the table `points`, and the column `offset` of events."""

    @property
    def speaks_of_silence(self) -> bool:
        """Whether there may be results where no event is. Every slice that may own a result is then evaluated."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the result, without `certain`."""

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        """The tables that the query fills.

        The first is the result, with this evaluator's `schema`, `evaluate` and `merge`.
        """

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results of one slice.

        `events`: the slice's events in (ts, seq) order. `points`, for evaluators that read them: int64 columns `ts`,
        ascending, and `points`, how many time-points have this stamp, also where the slice has no event. The stamps
        just before and after what the slice reads may be there, too; no owned result depends on them. `offset`
        of an event is the index of its time-point among those of equal `ts`. Sub-logs number their points anew.
        Ownership is applied before aggregating, counting or cutting.
        Batches have the evaluator's own partial columns and `certain`; the last one, possibly empty, carries the
        totals: of all, or of the last stretch if a long slice has such a batch for each of its stretches. Batches for
        further tables are marked (`tagged`); `of_table` selects the batches of one table.
        """

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result from the partial results of all slices: `schema` plus `certain`, in the result's own order.

        `days` as in `Ownership`: `max_matches` applies to each operating day. The metadata `totals` holds JSON as in
        `TOTALS`. The order of `partials` never changes the result. Raises WorkExhausted if the evaluator's budget was
        too small.
        """

    def describe(self) -> tuple[str, ...]:
        """Lines for `explain`: the algorithm chosen and its cost class."""
