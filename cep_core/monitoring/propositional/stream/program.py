"""A formula as the streaming engine evaluates it: past-only parts are columns of bits, the rest is a short program.

The largest parts without future operators are *leaves*: their truth at a point is known at that point, so they are
computed column by column (`past`). What is left is a program of nodes, operands first. Equal parts are one node. The
program is *flat* if no temporal operator contains a future one and every UNTIL has an upper bound: an open point then
waits only for operators that begin at its own stamp. Linear in the formula.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Ints
from cep_core.language.temporal.formulas import (
    And,
    Eventually,
    Formula,
    Next,
    Not,
    Once,
    Or,
    Prev,
    Since,
    Truth,
    Until,
)
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.walk import operands, walk
from cep_core.monitoring.propositional.stream.kernels.state import (
    AND,
    CONSTANT,
    LEAF,
    NEXT,
    NOT,
    OR,
    PREV,
    SINCE,
    UNTIL,
)

FURTHEST = 2**64 - 1
"""The time from any point to the end of a closed log; no bounded interval has it."""


@dataclass(frozen=True)
class Program:
    """`nodes`: as `kernels.state` has them, the last one is the formula. Leaf i is bit i of a point's letter."""

    leaves: tuple[Formula, ...]
    nodes: Ints
    is_flat: bool
    has_unbounded_until: bool

    @property
    def is_past_only(self) -> bool:
        """Whether every verdict is known at its own point."""
        return len(self.nodes) == 1

    @property
    def size(self) -> int:
        return len(self.nodes)


def looks_ahead(formula: Formula) -> bool:
    """Whether a formula without sugar has a future operator."""
    return any(isinstance(part, Next | Eventually | Until) for part in walk(formula))


def has_unbounded_until(formula: Formula) -> bool:
    """Whether UNTIL or EVENTUALLY occurs without an upper bound."""
    return any(isinstance(part, Eventually | Until) and not part.interval.is_bounded for part in walk(formula))


def is_nested(formula: Formula) -> bool:
    """Whether a temporal operator contains a future one."""
    temporal = (part for part in walk(formula) if isinstance(part, Prev | Next | Once | Eventually | Since | Until))
    return any(looks_ahead(operand) for part in temporal for operand in operands(part))


def program_of(core: Formula) -> Program:
    """The program of a formula without sugar, its intervals resolved.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> p, q, r = Predicate("p"), Predicate("q"), Predicate("r")
    >>> f3 = program_of(Until(Interval(0, 5), p, Since(Interval(2, 6), q, r)))
    >>> len(f3.leaves), f3.nodes[:, 0].tolist() == [LEAF, LEAF, UNTIL], f3.is_flat
    (2, True, True)
    """
    writing = _Writing()
    writing.node(core)
    has_unbounded = has_unbounded_until(core)
    return Program(tuple(writing.leaves), writing.nodes(), not has_unbounded and not is_nested(core), has_unbounded)


class _Writing:
    def __init__(self) -> None:
        self.leaves: dict[Formula, int] = {}
        self.rows: dict[tuple[int, int, int, Interval], int] = {}

    def node(self, formula: Formula) -> int:
        """The node of a formula, written after those of its operands."""
        if isinstance(formula, Truth):
            return self.row(CONSTANT, int(formula.value), 0)
        if not looks_ahead(formula):
            return self.row(LEAF, self.leaves.setdefault(formula, len(self.leaves)), 0)
        match formula:
            case Not(body):
                return self.row(NOT, self.node(body), 0)
            case And(left, right):
                return self.row(AND, self.node(left), self.node(right))
            case Or(left, right):
                return self.row(OR, self.node(left), self.node(right))
            case Prev(interval, body):
                return self.temporal(PREV, interval, body, body)
            case Next(interval, body):
                return self.temporal(NEXT, interval, body, body)
            case Once(interval, body):
                return self.temporal(SINCE, interval, Truth(True), body)
            case Eventually(interval, body):
                return self.temporal(UNTIL, interval, Truth(True), body)
            case Since(interval, left, right):
                return self.temporal(SINCE, interval, left, right)
            case Until(interval, left, right):
                return self.temporal(UNTIL, interval, left, right)
        raise TypeError(f"{type(formula).__name__} is no part of a core formula")

    def temporal(self, kind: int, interval: Interval, left: Formula, right: Formula) -> int:
        if interval.is_empty:
            return self.row(CONSTANT, 0, 0)
        return self.row(kind, self.node(left), self.node(right), interval)

    def row(self, kind: int, left: int, right: int, interval: Interval = ANY_TIME) -> int:
        return self.rows.setdefault((kind, left, right, interval), len(self.rows))

    def nodes(self) -> Ints:
        rows = [(*row[:3], *words_of(row[3])) for row in self.rows]
        return np.array(rows, np.uint64).view(np.int64)


def words_of(interval: Interval) -> tuple[int, int]:
    """Lower and upper bound as words without a sign; no upper bound is `FURTHEST`.

    >>> words_of(Interval(3))
    (3, 18446744073709551615)
    """
    high = FURTHEST if interval.high is None else min(interval.high, FURTHEST - 1)
    return min(interval.low, FURTHEST), high
