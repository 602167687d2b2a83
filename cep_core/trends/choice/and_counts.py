"""AND: unordered pairs of different matches, one of each side, without forming any (GRETA, section 9, Conjunction).

With p, q and b matches of the left side, of the right one and of both, there are p q - b - b (b - 1) / 2 pairs: all
couples, less those of a match with itself, less one of the two couples that a pair from both sides makes. An
occurrence counts in every pair of its match, so sums follow alike. Three counts, and O(groups) arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.query import Query, Strategy
from cep_core.numbers.groups import column_codes, group_rows
from cep_core.numbers.integers import Integers
from cep_core.trends.choice.counted import Counted
from cep_core.trends.choice.listed import Listed, ListedInBoth
from cep_core.trends.plan.aggregates import Aggregates
from cep_core.trends.plan.and_queries import sides_of
from cep_core.trends.plan.terms import intersection, terms_of
from cep_core.trends.result.groups import Groups
from cep_core.trends.result.partial import Partial


class TrendSource(Protocol):
    """What fills partial rows with the totals of a query's trends."""

    def batches(self, events: pa.Table, owned: Ownership | None, partial: Partial) -> Iterator[pa.RecordBatch]:
        """Partial rows of what is owned."""

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""


@dataclass(frozen=True)
class PairCounts:
    """The counts of the left side, of the right one, and of what both match, within keys that both sides share."""

    left: TrendSource
    right: TrendSource
    both: TrendSource
    inner: Partial

    @staticmethod
    def of(query: Query, aggregates: Aggregates) -> PairCounts:
        """The pairs of a query whose pattern is an AND. Raises NotSupportedYet or QueryError."""
        sides = sides_of(query, aggregates)
        inner = Partial(replace(sides.left, group_by=sides.shared, returns=()), aggregates, exact=False)
        if query.strategy is not Strategy.ANY:
            one, other = Listed(sides.left, sides.left_aggregates), Listed(sides.right, sides.right_aggregates)
            return PairCounts(one, other, ListedInBoth(one, other), inner)
        left, right = terms_of(sides.left), terms_of(sides.right)
        return PairCounts(
            Counted.of(sides.left, left, sides.left_aggregates),
            Counted.of(sides.right, right, sides.right_aggregates),
            Counted.of(sides.both, intersection(left, right, sides.both), sides.left_aggregates),
            inner,
        )

    def batches(self, events: pa.Table, owned: Ownership | None, partial: Partial) -> Iterator[pa.RecordBatch]:
        """Partial rows; pairs are formed inside each shared key and window."""
        parts = []
        for source in (self.left, self.right, self.both):
            batches = list(source.batches(events, owned, self.inner))
            parts.append(self.inner.merge(pa.Table.from_batches(batches, self.inner.schema)))
        for groups in _paired(*_aligned(parts)):
            yield partial.batch(groups)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        lines = ["pairs from three counts, those of each side and of what both match: no pair is formed"]
        for name, source in (("left", self.left), ("right", self.right), ("both", self.both)):
            lines += [f"{name}: {line}" for line in source.describe()]
        return tuple(lines)


def _aligned(parts: list[Groups]) -> list[Groups]:
    """The same groups, in the same order, in each part: those that a part lacks have no trend there."""
    keys = pa.concat_tables([part.keys for part in parts])
    start = np.concatenate([part.start for part in parts])
    groups, firsts = group_rows([start, *(code for column in keys.columns for code in column_codes(column))])
    chosen = pa.array(firsts)
    aligned = []
    begin = 0
    for part in parts:
        own = groups[begin : begin + len(part.start)]
        begin += len(part.start)
        place: Ints = np.full(len(firsts), -1, dtype=np.int64)
        place[own] = np.arange(len(own))
        taken = pa.array(place, mask=place < 0)
        aligned.append(
            Groups(
                keys.take(chosen),
                start[firsts],
                tuple(total.sum_by(own, len(firsts)) for total in part.totals),
                tuple(np.where(place < 0, 0, shift[place]) if len(own) else 0 * place for shift in part.shifts),
                tuple(minimum.take(taken) for minimum in part.minima),
            )
        )
    return aligned


def _paired(left: Groups, right: Groups, both: Groups) -> Iterator[Groups]:
    """The totals of all pairs with the minima of the left side, then those of the right one; merging combines them.

    Where there is a pair, every match of either side is in one.
    """
    one, other, same = left.totals[0], right.totals[0], both.totals[0]
    with_itself = same.times(same.plus(Integers(np.ones(len(same), dtype=np.int64))))  # b (b + 1), an even number
    totals = [one.times(other).minus(with_itself.halved())]
    shifts = [np.zeros(len(same), dtype=np.int64)]
    for j in range(1, len(left.totals)):
        most = np.maximum.reduce([part.shifts[j] for part in (left, right, both)])
        of_one, of_other, of_same = (part.totals[j].shifted(most - part.shifts[j]) for part in (left, right, both))
        # each match of both stands in b - 1 pairs too many, and twice in the couple with itself
        in_itself = of_same.times(same).plus(of_same)
        totals.append(of_one.times(other).plus(of_other.times(one)).minus(in_itself))
        shifts.append(most)
    some = np.flatnonzero(totals[0].nonzero())
    keys, start = left.keys.take(pa.array(some)), left.start[some]
    sums = tuple(total.take(some) for total in totals)
    nothing = tuple(Integers(np.zeros(len(some), dtype=np.int64)) for _ in totals)
    powers = tuple(shift[some] for shift in shifts)
    for minima, values in ((left.minima, sums), (right.minima, nothing)):
        yield Groups(keys, start, values, powers, tuple(minimum.take(pa.array(some)) for minimum in minima))
