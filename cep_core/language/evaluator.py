"""What every compiled query looks like to the slicer and to the pipeline: atoms, reach, evaluate, merge, tables.

Paper 01 treats submonitors as black boxes; trend aggregation and Kleene matching are wrapped the same way, so that one
slicer, one joiner and one pipeline serve all of them (`docs/architecture.md`, "One idea carries everything").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

CERTAIN = "certain"
"""Name of the int64 column of evaluated batches: the moment at which the row's result became certain."""

TOTALS = b"totals"
"""Schema-metadata key of a slice's last batch: JSON, {first moment of the day: {"matches_total": digits, ...}}."""

TABLE = b"table"
"""Schema-metadata key of a batch for a table beside the result: the table's suffix. The result's batches have none."""

RESULT = ""
"""The suffix of the result's own table."""


@dataclass(frozen=True)
class Atom:
    """An event type that an evaluator reads: which attribute binds which slicing variable, which must be a constant.

    Several attributes may bind the same variable; they must then agree. A query may hold several atoms of one type.
    """

    event_type: str
    variables: tuple[tuple[str, str], ...] = ()
    """(attribute, slicing variable) pairs."""
    constants: tuple[tuple[str, int | float | str | bool], ...] = ()
    """(attribute, value) pairs: events with another value are irrelevant to this atom."""


@dataclass(frozen=True)
class Reach:
    """How far before the moment of certainty an evaluator must look; components add under composition.

    `time` in the log's unit, `points` in time-points, `events` in positions (`docs/semantics.md` 2). None: unbounded.

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
    """Which results belong to one slice: by valuation of the slicing variables and by moment of certainty.

    `owns(valuations)` takes a table with one column per name in `variables` and returns a bool for each row; None owns
    every valuation. `days` are ascending moments b0 < b1 < ... < bn: results certain in [b0, bn) are owned, and each
    [bi, bi+1) is one part to which `max_matches` applies; None owns all of time as one part.
    """

    variables: tuple[str, ...] = ()
    owns: Callable[[pa.Table], npt.NDArray[np.bool_]] | None = None
    days: tuple[int, ...] | None = None


@dataclass(frozen=True)
class DayResult:
    """An operating day, [begin, end) in log time; of one that has been evaluated, what the result says of it."""

    begin: int
    end: int
    rows: int = 0
    totals: Mapping[str, Any] = field(default_factory=dict)
    """As in `TOTALS`."""

    @property
    def is_cut(self) -> bool:
        """Whether there are more matches than rows.

        >>> DayResult(0, 9, 2, {"matches_total": "3"}).is_cut, DayResult(0, 9, 2, {"matches_total": "2"}).is_cut
        (True, False)
        """
        known = self.totals.get("matches_total") or self.totals.get("matches_at_least")
        return known is not None and int(known) > self.rows


class Evaluate(Protocol):
    """Partial results of one slice, as `Evaluator.evaluate`."""

    def __call__(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Array | None = None
    ) -> Iterator[pa.RecordBatch]: ...


class Merge(Protocol):
    """One table from the partial results of all slices, as `Evaluator.merge`."""

    def __call__(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table: ...


Blocks = Callable[[Sequence[DayResult]], Sequence[Sequence[DayResult]]]
"""Of consecutive operating days those for which a table is wanted, in the blocks that are evaluated together."""


@dataclass(frozen=True)
class ResultTable:
    """A table that a query fills: its result, or one that stands beside it, named after it with a suffix.

    A table with an `evaluate` of its own is evaluated after the result, of which `days` then knows rows and totals.
    The batches of any other come with the result's, on all of its days.
    """

    suffix: str
    schema: pa.Schema
    """Its columns, without `certain`."""
    merge: Merge
    days: Blocks
    evaluate: Evaluate | None = None
    comment: str = ""
    """What one row of a table beside a result is; `{query}` stands for the query's name."""
    variables: tuple[str, ...] = ()
    """The columns that hold events by `seq`: the variables of matches."""


def together(days: Sequence[DayResult]) -> Sequence[Sequence[DayResult]]:
    """All days in one block."""
    return [days]


def one_by_one(days: Sequence[DayResult]) -> Sequence[Sequence[DayResult]]:
    """Each day for itself: where each has a budget of work, one that exhausts it is a hole of its own."""
    return [[day] for day in days]


def tagged(batches: Iterable[pa.RecordBatch], suffix: str) -> Iterator[pa.RecordBatch]:
    """Batches that say which table beside the result they are for."""
    for batch in batches:
        yield batch.replace_schema_metadata({**(batch.schema.metadata or {}), TABLE: suffix.encode()})


def of_table(batches: Iterable[pa.RecordBatch], suffix: str = RESULT) -> Iterator[pa.RecordBatch]:
    """The batches that are for one table.

    >>> result = pa.RecordBatch.from_pydict({"n": [1]})
    >>> [why] = tagged([pa.RecordBatch.from_pydict({"m": [2]})], "_why")
    >>> [batch.to_pydict() for batch in of_table([result, why], "_why")], len(list(of_table([result, why])))
    ([{'m': [2]}], 1)
    """
    return (batch for batch in batches if (batch.schema.metadata or {}).get(TABLE, b"") == suffix.encode())


class Evaluator(Protocol):
    """A compiled query."""

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The event types that the query reads, with what binds its slicing variables."""

    @property
    def reach(self) -> Reach:
        """How far back from the moment of certainty a result can depend on events."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the result, without `certain`."""

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        """What it fills: first the result, by this evaluator's own `schema`, `evaluate` and `merge`."""

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Array | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results of one slice.

        `events`: the slice's events in (ts, seq) order. Ownership is applied before aggregating, counting or cutting.
        Batches carry the evaluator's own partial columns and `certain`; the last one, possibly empty, carries totals.
        Those for tables beside the result say so (`tagged`); `of_table` parts them.
        """

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result from the partial results of all slices: `schema` plus `certain`, in the result's own order.

        `days` as in `Ownership`: operating days, to each of which `max_matches` applies. Metadata `totals` holds JSON
        as in `TOTALS`. The order of `partials` never changes the result. Raises WorkExhausted where the evaluator's
        budget did not suffice.
        """

    def describe(self) -> tuple[str, ...]:
        """Lines for `explain`: the algorithm chosen and its cost class."""
