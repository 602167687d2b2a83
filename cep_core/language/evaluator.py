"""What every compiled query looks like to the slicer and to the pipeline: atoms, reach, evaluate, merge.

Paper 01 treats submonitors as black boxes; trend aggregation and Kleene matching are wrapped the same way, so that one
slicer, one joiner and one pipeline serve all of them (`docs/architecture.md`, "One idea carries everything").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

CERTAIN = "certain"
"""Name of the int64 column of evaluated batches: the moment at which the row's result became certain."""

TOTALS = b"totals"
"""Schema-metadata key of a slice's last batch: JSON, {first moment of the day: {"matches_total": digits, ...}}."""


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
    def postpones(self) -> bool:
        """Whether results can be counted only by listing them, since conditions are judged on what is listed.

        Then work may be exponential in the events, and days that have a budget are evaluated one by one.
        """

    @property
    def compacts(self) -> bool:
        """Whether compact rows can be had without listing matches, if need be as supersets of unknown count."""

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Array | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results of one slice.

        `events`: the slice's events in (ts, seq) order. Ownership is applied before aggregating, counting or cutting.
        Batches carry the evaluator's own partial columns and `certain`; the last one, possibly empty, carries totals.
        """

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result from the partial results of all slices: `schema` plus `certain`, in the result's own order.

        `days` as in `Ownership`: operating days, to each of which `max_matches` applies. Metadata `totals` holds JSON
        as in `TOTALS`. The order of `partials` never changes the result. Raises WorkExhausted where the evaluator's
        budget did not suffice.
        """

    def describe(self) -> tuple[str, ...]:
        """Lines for `explain`: the algorithm chosen and its cost class."""
