"""Columns of exact integers of any size: machine words, and Python integers only for values that do not fit a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints, read_only
from cep_core.numbers.group_sums import add_to

HALF = 31
HALF_MASK = np.int64((1 << HALF) - 1)
SAFE = 1 << 62
MOST_SHIFT = 63
"""The most bits by which a word may be shifted."""


@dataclass(frozen=True)
class Integers:
    """n exact integers: `large[i]` if row i is in `large` (then `small[i]` is 0), else `small[i]`.

    >>> Integers.of([3, 2**70]).sum_by(np.array([0, 0]), 1).to_list()
    [1180591620717411303427]
    """

    small: Ints
    large: Mapping[int, int] = field(default_factory=dict)

    @staticmethod
    def of(values: list[int]) -> Integers:
        """A column of the given integers."""
        large = {row: value for row, value in enumerate(values) if not -SAFE < value < SAFE}
        return Integers(np.array([0 if row in large else v for row, v in enumerate(values)], dtype=np.int64), large)

    def __len__(self) -> int:
        return len(self.small)

    def __getitem__(self, row: int) -> int:
        return self.large.get(row, int(self.small[row]))

    def to_list(self) -> list[int]:
        """All values as Python integers."""
        return [self[row] for row in range(len(self))]

    def nonzero(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """A flag for each value: is it not 0?"""
        flags = self.small != 0
        flags[list(self.large)] = True
        return flags

    def take(self, rows: Ints) -> Integers:
        """The values at `rows`, in that order."""
        if not self.large:
            return Integers(self.small[rows])
        places = np.array(sorted(self.large), dtype=np.int64)
        hits = np.flatnonzero(np.isin(rows, places))
        return Integers(self.small[rows], {int(hit): self.large[int(rows[hit])] for hit in hits})

    def put(self, rows: Ints, values: Integers) -> Integers:
        """The column with the given values at `rows`."""
        small = self.small.copy()
        small[rows] = values.small
        replaced = set(rows.tolist()) if self.large else set()
        large = {row: value for row, value in self.large.items() if row not in replaced}
        large |= {int(rows[n]): value for n, value in values.large.items()}
        return Integers(small, large)

    def negative(self) -> Integers:
        """Every value with the opposite sign."""
        return Integers(-self.small, {row: -value for row, value in self.large.items()})

    def minus(self, subtrahend: Integers) -> Integers:
        """Row-wise difference."""
        return self.plus(subtrahend.negative())

    def plus(self, summand: Integers) -> Integers:
        """Row-wise sum."""
        rows = np.concatenate([np.arange(len(self)), np.arange(len(self))])
        return Integers.concatenate([self, summand]).sum_by(rows, len(self))

    def times(self, factor: Integers) -> Integers:
        """Row-wise product.

        >>> Integers.of([3, 2**40]).times(Integers.of([-5, 2**40])).to_list()
        [-15, 1208925819614629174706176]
        """
        magnitude = np.abs(self.small).astype(np.float64) * np.abs(factor.small).astype(np.float64)
        overflows = magnitude >= SAFE / 2  # SAFE / 2 leaves more room in the word than the float's error
        overflows[list(self.large) + list(factor.large)] = True
        small = np.where(overflows, 0, self.small) * np.where(overflows, 0, factor.small)
        rows = np.flatnonzero(overflows)
        return Integers(small).put(rows, Integers.of([self[int(row)] * factor[int(row)] for row in rows]))

    def halved(self) -> Integers:
        """Half of each value. All values must be even."""
        return Integers.of([value >> 1 for value in self.to_list()]) if self.large else Integers(self.small >> 1)

    def shifted(self, shifts: Ints) -> Integers:
        """Row-wise product with 2**shift, shift >= 0."""
        if not shifts.any():
            return self
        rows = np.flatnonzero(shifts)
        return self.put(rows, Integers.of([self[int(row)] << int(shifts[row]) for row in rows]))

    def in_lowest_terms(self, shifts: Ints) -> tuple[Integers, Ints]:
        """The fractions value / 2**shift, shift >= 0, in lowest terms: the value is odd, or the shift is 0.

        >>> values, shifts = Integers.of([12, 3 << 99, 0]).in_lowest_terms(np.array([1, 100, 5]))
        >>> values.to_list(), shifts
        ([6, 3, 0], array([0, 1, 0]))
        """
        lowest = (self.small & -self.small).astype(np.float64)
        twos = np.where(lowest > 0, np.log2(np.maximum(lowest, 1.0)), shifts).astype(np.int64)
        for row, value in self.large.items():
            twos[row] = (value & -value).bit_length() - 1
        twos = np.minimum(twos, shifts)
        rows = np.array(sorted(self.large), dtype=np.int64)
        small = Integers(self.small >> np.minimum(twos, MOST_SHIFT))
        return small.put(rows, Integers.of([self[int(row)] >> int(twos[row]) for row in rows])), shifts - twos

    def sum_by(self, groups: Ints, count: int) -> Integers:
        """The exact sum of each group 0..count-1; `groups[i]` is the group of row i. O(rows), without sorting."""
        low = np.zeros(count, dtype=np.int64)
        if len(self) == 0:
            return Integers(low)
        places = read_only(groups)
        if max(-int(self.small.min()), int(self.small.max())) * len(self) < SAFE:
            add_to(low, places, read_only(self.small))
            large: dict[int, int] = {}
        else:
            high = np.zeros(count, dtype=np.int64)
            add_to(low, places, read_only(self.small & HALF_MASK))
            add_to(high, places, read_only(self.small >> HALF))
            high += low >> HALF
            low &= HALF_MASK
            is_large = np.abs(high) >= (1 << (HALF - 1))
            large = {int(g): (int(high[g]) << HALF) + int(low[g]) for g in np.flatnonzero(is_large)}
            low += np.where(is_large, 0, high) << HALF
            low[is_large] = 0
        for row, value in self.large.items():
            group = int(groups[row])
            large[group] = large.get(group, int(low[group])) + value
            low[group] = 0
        large_groups = np.array(list(large), dtype=np.int64)
        return Integers(low).put(large_groups, Integers.of(list(large.values())))

    def alone(self) -> Integers:
        """The values as `sum_by` gives them if each row is a group: which of them are in `large` depends on all."""
        if len(self) == 0 or max(-int(self.small.min()), int(self.small.max())) * len(self) < SAFE:
            return self
        return self.sum_by(np.arange(len(self)), len(self))

    @staticmethod
    def concatenate(columns: list[Integers]) -> Integers:
        """The columns joined, one after another."""
        if not columns:
            return Integers(np.zeros(0, dtype=np.int64))
        starts = np.cumsum([0] + [len(column) for column in columns])
        large = {
            int(start) + row: value
            for start, column in zip(starts, columns, strict=False)
            for row, value in column.large.items()
        }
        return Integers(np.concatenate([column.small for column in columns]), large)

    def to_arrow(self) -> tuple[pa.Array, pa.Array]:
        """Two columns: int64, and binary (two's complement, little-endian) for large values; null for the others."""
        small = pa.array(self.small, pa.int64())
        if not self.large:
            return small, pa.nulls(len(self), pa.binary())
        wide: list[bytes | None] = [None] * len(self)
        for row, value in self.large.items():
            wide[row] = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        return small, pa.array(wide, pa.binary())

    @staticmethod
    def from_arrow(small: pa.Array, wide: pa.Array) -> Integers:
        """The inverse of `to_arrow`."""
        large: dict[int, int] = {}
        if wide.null_count < len(wide):
            rows = np.flatnonzero(wide.is_valid().to_numpy(zero_copy_only=False))
            large = {int(row): int.from_bytes(wide[int(row)].as_py(), "little", signed=True) for row in rows}
        return Integers(small.to_numpy(zero_copy_only=False), large)
