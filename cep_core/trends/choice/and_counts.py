"""AND: counts pairs of different matches, one from each side, without forming them (GRETA, section 9, Conjunction).

Pairs are unordered. Let p, q and b be the number of matches of the left side, of the right side, and of both. Then
there are p q - b - b (b - 1) / 2 pairs. From all p q couples this subtracts the b couples of a match with itself. A
pair of two matches of both sides makes two couples, so it also subtracts one of them. An occurrence counts in every
pair of its match, so sums follow in the same way. The cost is three counts and O(groups) arithmetic.
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
    """A source of the totals of a query's trends."""

    def groups(self, events: pa.Table, owned: Ownership | None, partial: Partial) -> Iterator[Groups]:
        """The totals of the owned partitions and windows; those of one group and window are added."""

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""


@dataclass(frozen=True)
class PairCounts:
    """The counts of the left side, of the right side, and of the matches of both, within keys that both sides share."""

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
            left, right = Listed(sides.left, sides.left_aggregates), Listed(sides.right, sides.right_aggregates)
            return PairCounts(left, right, ListedInBoth(left, right), inner)
        left_terms, right_terms = terms_of(sides.left), terms_of(sides.right)
        return PairCounts(
            Counted.of(sides.left, left_terms, sides.left_aggregates),
            Counted.of(sides.right, right_terms, sides.right_aggregates),
            Counted.of(sides.both, intersection(left_terms, right_terms, sides.both), sides.left_aggregates),
            inner,
        )

    def groups(self, events: pa.Table, owned: Ownership | None, partial: Partial) -> Iterator[Groups]:
        """Pairs are counted inside each shared key and window."""
        parts = []
        for source in (self.left, self.right, self.both):
            batches = [self.inner.batch(groups) for groups in source.groups(events, owned, self.inner)]
            parts.append(self.inner.merge(pa.Table.from_batches(batches, self.inner.schema)))
        yield from _paired(*_aligned(parts))

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        lines = ["pairs from three counts, those of each side and of what both match: no pair is formed"]
        for name, source in (("left", self.left), ("right", self.right), ("both", self.both)):
            lines += [f"{name}: {line}" for line in source.describe()]
        return tuple(lines)


def _aligned(parts: list[Groups]) -> list[Groups]:
    """The parts with the same groups in the same order. A group that a part lacked has no trend there."""
    keys = pa.concat_tables([part.keys for part in parts])
    start = np.concatenate([part.start for part in parts])
    groups, firsts = group_rows([start, *(code for column in keys.columns for code in column_codes(column))])
    key_rows = pa.array(firsts)
    aligned = []
    begin = 0
    for part in parts:
        own = groups[begin : begin + len(part.start)]
        begin += len(part.start)
        place: Ints = np.full(len(firsts), -1, dtype=np.int64)
        place[own] = np.arange(len(own))
        place_or_null = pa.array(place, mask=place < 0)
        aligned.append(
            Groups(
                keys.take(key_rows),
                start[firsts],
                tuple(total.sum_by(own, len(firsts)) for total in part.totals),
                tuple(np.where(place < 0, 0, shift[place]) if len(own) else 0 * place for shift in part.shifts),
                tuple(minimum.take(place_or_null) for minimum in part.minima),
            )
        )
    return aligned


def _paired(left: Groups, right: Groups, both: Groups) -> Iterator[Groups]:
    """The totals of all pairs with the minima of the left side; then zero totals with the minima of the right side.

    Merging combines the two. If a group has a pair, every match of either side is in a pair.
    """
    count_left, count_right, count_both = left.totals[0], right.totals[0], both.totals[0]
    # this number, b (b + 1), is always even
    with_itself = count_both.times(count_both.plus(Integers(np.ones(len(count_both), dtype=np.int64))))
    totals = [count_left.times(count_right).minus(with_itself.halved())]
    shifts = [np.zeros(len(count_both), dtype=np.int64)]
    for j in range(1, len(left.totals)):
        largest = np.maximum.reduce([part.shifts[j] for part in (left, right, both)])
        sum_left, sum_right, sum_both = (
            part.totals[j].shifted(largest - part.shifts[j]) for part in (left, right, both)
        )
        # a match of both sides is in b - 1 couples too many, and twice in the couple with itself
        surplus = sum_both.times(count_both).plus(sum_both)
        totals.append(sum_left.times(count_right).plus(sum_right.times(count_left)).minus(surplus))
        shifts.append(largest)
    paired = np.flatnonzero(totals[0].nonzero())
    keys, start = left.keys.take(pa.array(paired)), left.start[paired]
    sums = tuple(total.take(paired) for total in totals)
    zeros = tuple(Integers(np.zeros(len(paired), dtype=np.int64)) for _ in totals)
    powers = tuple(shift[paired] for shift in shifts)
    for minima, values in ((left.minima, sums), (right.minima, zeros)):
        yield Groups(keys, start, values, powers, tuple(minimum.take(pa.array(paired)) for minimum in minima))
