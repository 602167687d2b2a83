"""The columns of past-only formulas, block by block: whether each holds at each point, without looking ahead.

A past-only formula keeps no history: PREV keeps one bit and a stamp, SINCE one stamp, or, with an interval that neither
begins at 0 nor is without end, the stamps within its upper bound. Cost: O(formula) for a point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cep_core.arrays import Bits, Ints
from cep_core.language.temporal.formulas import And, Formula, Not, Once, Or, Predicate, Prev, Since, Truth
from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.propositional.arrays.trace import Bits as Column
from cep_core.monitoring.propositional.stream.kernels.past import prev_column, since_column, write_bit
from cep_core.monitoring.propositional.stream.kernels.state import Codes
from cep_core.monitoring.propositional.stream.program import words_of


class PastColumns:
    """Formulas without future operators and without sugar on a log that comes in blocks."""

    def __init__(self, formulas: Sequence[Formula]) -> None:
        self.formulas = formulas
        self._last: dict[Formula, Ints] = {}
        self._queues: dict[Formula, tuple[Ints, Ints]] = {}

    def letters(self, stamps: Ints, flags: Codes, atoms: Mapping[str, Column]) -> Bits:
        """[points, words] The letters of the next points: formula i is bit i. An atom that is not given never holds."""
        letters = np.zeros((len(stamps), max(1, -(-len(self.formulas) // 64))), np.uint64)
        block = _Block(self._last, self._queues, stamps, flags, atoms)
        for number, formula in enumerate(self.formulas):
            write_bit(letters, block.column(formula), number // 64, number % 64)
        return letters

    def column(self, stamps: Ints, flags: Codes, atoms: Mapping[str, Column]) -> Column:
        """[points] Whether the first formula holds at the next points."""
        return _Block(self._last, self._queues, stamps, flags, atoms).column(self.formulas[0])


class _Block:
    """One block of points. Equal parts are evaluated once."""

    def __init__(
        self,
        last: dict[Formula, Ints],
        queues: dict[Formula, tuple[Ints, Ints]],
        stamps: Ints,
        flags: Codes,
        atoms: Mapping[str, Column],
    ) -> None:
        self.last = last
        self.queues = queues
        self.stamps = stamps
        self.flags = flags
        self.atoms = atoms
        self.known: dict[Formula, Column] = {}

    def column(self, formula: Formula) -> Column:
        if formula not in self.known:
            self.known[formula] = self._evaluated(formula)
        return self.known[formula]

    def _evaluated(self, formula: Formula) -> Column:
        match formula:
            case Predicate(name):
                column = self.atoms.get(name)
                return np.zeros(len(self.stamps), np.bool_) if column is None else column
            case Truth(value):
                return np.full(len(self.stamps), value)
            case Not(body):
                return ~self.column(body)
            case And(left, right):
                return self.column(left) & self.column(right)
            case Or(left, right):
                return self.column(left) | self.column(right)
            case Prev(interval, body):
                return self._prev(formula, interval, self.column(body))
            case Once(interval, body):
                return self._since(formula, interval, self.column(Truth(True)), self.column(body))
            case Since(interval, left, right):
                return self._since(formula, interval, self.column(left), self.column(right))
        raise TypeError(f"{type(formula).__name__} is no part of a past-only core formula")

    def _prev(self, formula: Formula, interval: Interval, body: Column) -> Column:
        last = self.last.setdefault(formula, np.zeros(2, np.int64))
        near, far = map(np.uint64, words_of(interval))
        return prev_column(body, self.stamps, self.flags, near, far, last)

    def _since(self, formula: Formula, interval: Interval, left: Column, right: Column) -> Column:
        near, far = map(np.uint64, words_of(interval))
        if interval.is_empty:
            return np.zeros(len(right), np.bool_)
        queue, ends = self.queues.get(formula, (np.zeros(0, np.int64), np.zeros(2, np.int64)))
        kept = queue[ends[0] : ends[1]]
        room = np.empty(len(kept) + 1 + int(np.count_nonzero(np.diff(self.stamps))) + 1, np.int64)
        room[: len(kept)] = kept
        ends = np.array([0, len(kept)], np.int64)
        self.queues[formula] = (room, ends)
        return since_column(left, right, self.stamps, self.flags, near, far, room, ends)
