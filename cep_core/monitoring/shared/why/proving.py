"""Makes the proof tree with fewest leaves of a verdict; among these the earliest.

Bottom-up: a claim's smallest proof is made of its parts' smallest proofs, since a leaf counts as often as it is used.
Of proofs with as many leaves the one whose points, in order, come first is taken, then the one of the left operand.
The values of bound variables are those of `covering`. Cost: claims (subformulas x points in reach x values in reach)
times the points in reach; only events of the verdict's reach are read. A proof that says something of every point has
as many leaves, and nested operators multiply them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf

from cep_core.events.logs.point_log import PointLog
from cep_core.language.temporal.formulas import (
    Aggregation,
    Always,
    And,
    Comparison,
    Equiv,
    Eventually,
    Exists,
    Forall,
    Formula,
    Historically,
    Implies,
    Matches,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Release,
    Since,
    Trigger,
    Truth,
    Until,
)
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.shared.scalars import Value, aggregate, compares
from cep_core.monitoring.shared.why.covering import Covering
from cep_core.monitoring.shared.why.leaves import leaf
from cep_core.monitoring.shared.why.narrowing import narrowed
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree, Reading, Valuation
from cep_core.monitoring.shared.why.reading import LogReader

_Key = tuple[int, int, bool, tuple[Reading, ...]]
Parts = tuple[ProofTree, ...]
_Claim = Callable[[int], ProofTree | None]


class _TooLarge(Exception):
    """A proof needs more claims than may be looked at."""


class ProofMaker:
    """Proofs about one log, which share their claims. `texts`: the variables that stand for texts."""

    def __init__(self, log: PointLog, texts: frozenset[str] = frozenset()) -> None:
        self.reader = LogReader(log)
        self.texts = texts
        self.covering = Covering(self.reader, self._result)
        self._made: dict[_Key, ProofTree | None] = {}
        self._left: float = inf
        self.was_cut = False
        """Whether the last `small_proof` ended because more claims would have to be looked at."""

    def small_proof(
        self, formula: Formula, point: int, valuation: Valuation, holds: bool, most: int
    ) -> ProofTree | None:
        """As `proof`; None, too, where more than `most` claims would have to be looked at.

        It shares no claims with other proofs, so that nothing asked before decides whether it is made.
        """
        self._made.clear()
        self._left, self.was_cut = most, False
        try:
            return self.proof(formula, point, valuation, holds)
        except _TooLarge:
            self.was_cut = True
            return None
        finally:
            self._left = inf

    @property
    def claims(self) -> int:
        """How many claims were looked at, since the last call of `small_proof` began if there was one."""
        return len(self._made)

    def proof(self, formula: Formula, point: int, valuation: Valuation, holds: bool) -> ProofTree | None:
        """The smallest proof that a formula holds, or does not hold; None if it is not so.

        Formulas have resolved names and no LET, and stay alive as long as the maker.
        """
        free = free_variables(formula)
        key = (id(formula), point, holds, tuple(valuation[name] for name in free))
        if key not in self._made:
            if self._left <= 0:
                raise _TooLarge
            self._left -= 1
            self._made[key] = self._proof(formula, point, {name: valuation[name] for name in free}, holds)
        return self._made[key]

    def _proof(self, formula: Formula, point: int, valuation: Valuation, holds: bool) -> ProofTree | None:
        if isinstance(formula, Predicate | Comparison | Matches):
            return leaf(self.reader, formula, point, valuation, holds)
        children = self._children(formula, point, valuation, holds)
        return None if children is None else ProofTree(formula, point, valuation, holds, children)

    def _children(self, formula: Formula, point: int, valuation: Valuation, holds: bool) -> Parts | None:
        """The claims from which a claim follows, with fewest leaves."""

        def of(part: Formula, sign: bool = holds) -> ProofTree | None:
            return self.proof(part, point, valuation, sign)

        match formula:
            case Truth(value=value):
                return () if value == holds else None
            case Not(body=body):
                return _every([of(body, not holds)])
            case And(left=left, right=right):
                return (_every if holds else _smallest)([of(left), of(right)])
            case Or(left=left, right=right):
                return (_smallest if holds else _every)([of(left), of(right)])
            case Implies(left=left, right=right):
                return (_smallest if holds else _every)([of(left, not holds), of(right)])
            case Equiv(left=left, right=right):
                return _fewest(_every([of(left, sign), of(right, sign == holds)]) for sign in (True, False))
            case Exists() | Forall():
                return self._quantified(formula, point, valuation, holds)
            case Aggregation():
                return self._aggregated(formula, point, valuation, holds)
            case Since() | Trigger() | Until() | Release():
                return self._binary(formula, point, valuation, holds)
            case Prev() | Next():
                place = self.reader.neighbour(formula.interval, point, -1 if isinstance(formula, Prev) else 1)
                if place is None:
                    return None if holds else ()
                return _every([self.proof(formula.body, place, valuation, holds)])
            case Once() | Historically() | Eventually() | Always():
                step = -1 if isinstance(formula, Once | Historically) else 1
                places = self.reader.reached(formula.interval, point, step)
                is_existential = holds == isinstance(formula, Once | Eventually)
                looked_at = narrowed(self.reader, formula.body, holds, valuation, places) if is_existential else places
                proofs = (self.proof(formula.body, place, valuation, holds) for place in sorted(looked_at))
                return (_smallest if is_existential else _every)(proofs)
        raise TypeError(f"{type(formula).__name__} is explained without LET")

    def _quantified(self, formula: Exists | Forall, point: int, valuation: Valuation, holds: bool) -> Parts | None:
        free = free_variables(formula.body)
        names = tuple(name for name in formula.variables if name in free)
        has_witness = holds == isinstance(formula, Exists)
        sign = holds if has_witness else not holds  # the cover is of values for which the body could be a witness
        rows = self.covering.valuations(names, formula.body, sign, point, valuation)
        if has_witness:
            single = (row for row in rows if not any(isinstance(row[name], AnyOther) for name in names))
            return _smallest(self.proof(formula.body, point, row, holds) for row in single)
        return _every(self.proof(formula.body, point, row, holds) for row in rows)

    def _binary(
        self, formula: Since | Trigger | Until | Release, point: int, valuation: Valuation, holds: bool
    ) -> Parts | None:
        step = -1 if isinstance(formula, Since | Trigger) else 1
        reached = self.reader.reached(formula.interval, point, step)

        def left(place: int) -> ProofTree | None:
            return self.proof(formula.left, place, valuation, holds)

        def right(place: int) -> ProofTree | None:
            return self.proof(formula.right, place, valuation, holds)

        if holds == isinstance(formula, Since | Until):
            return _anchored(point, step, reached, left, right)
        return _cut(point, step, reached, left, right)

    def _aggregated(self, formula: Aggregation, point: int, valuation: Valuation, holds: bool) -> Parts | None:
        groups = {group.name: valuation[group.name] for group in formula.groups}
        children = self._judged(formula, point, groups)
        try:
            value = None if children is None else self._value(formula, children)
        except ArithmeticError:
            return None
        result = valuation[formula.result.name]
        if children is None:
            return None
        if isinstance(result, AnyOther):
            return children if not holds and (value is None or value in result.excluded) else None
        return children if holds == (value is not None and compares("=", value, result)) else None

    def _judged(self, formula: Aggregation, point: int, groups: Valuation) -> Parts | None:
        """A proof for each valuation of the body: that it holds, or that it does not."""
        names = tuple(name for name in free_variables(formula.body) if name not in groups)
        children = []
        for row in self.covering.valuations(names, formula.body, True, point, groups):
            several = any(isinstance(row[name], AnyOther) for name in free_variables(formula.body))
            proof = None if several else self.proof(formula.body, point, row, True)
            proof = proof or self.proof(formula.body, point, row, False)
            if proof is None:
                return None
            children.append(proof)
        return tuple(children)

    def _value(self, formula: Aggregation, children: Sequence[ProofTree]) -> Value | None:
        item = formula.item.name
        readings = [child.valuation[item] for child in children if child.holds]
        values = [reading for reading in readings if not isinstance(reading, AnyOther)]
        if values:
            return aggregate(formula.function, values)
        is_text = formula.function in ("MIN", "MAX") and item in self.texts
        return None if formula.groups else "" if is_text else aggregate(formula.function, [])

    def _result(self, formula: Aggregation, point: int, groups: Valuation) -> Value | None:
        """What an aggregation gives for the values of its groups."""
        children = self._judged(formula, point, groups)
        try:
            return None if children is None else self._value(formula, children)
        except ArithmeticError:
            return None


def _anchored(point: int, step: int, reached: Sequence[int], left: _Claim, right: _Claim) -> Parts | None:
    """The right operand's claim at one point, the left one's at all points between it and here."""
    best: Parts | None = None
    between: list[ProofTree] = []
    place = point
    for anchor in reached:
        while place != anchor:
            proof = left(place)
            if proof is None:
                return best
            between.append(proof)
            place += step
        if (proof := right(anchor)) is not None:
            best = _fewest([best, (proof, *_ascending(between, step))])
    return best


def _cut(point: int, step: int, reached: Sequence[int], left: _Claim, right: _Claim) -> Parts | None:
    """The right operand's claim at all points in reach, or up to a point at which the left one's claim is so."""
    best: Parts | None = None
    needed: list[ProofTree] = []
    for place in range(point, reached[-1], step) if reached else ():
        while (place - reached[len(needed)]) * step >= 0:
            if (proof := right(reached[len(needed)])) is None:
                return best
            needed.append(proof)
        if (proof := left(place)) is not None:
            best = _fewest([best, (proof, *_ascending(needed, step))])
    for place in reached[len(needed) :]:
        if (proof := right(place)) is None:
            return best
        needed.append(proof)
    return _fewest([best, tuple(_ascending(needed, step))])


def _ascending(proofs: Sequence[ProofTree], step: int) -> Iterable[ProofTree]:
    return proofs if step > 0 else reversed(proofs)


def _every(proofs: Iterable[ProofTree | None]) -> Parts | None:
    parts: list[ProofTree] = []
    for proof in proofs:
        if proof is None:
            return None
        parts.append(proof)
    return tuple(parts)


def _smallest(proofs: Iterable[ProofTree | None]) -> Parts | None:
    return _fewest((proof,) for proof in proofs if proof is not None)


def _fewest(choices: Iterable[Parts | None]) -> Parts | None:
    """The choice with fewest leaves, of these the earliest, of these the first."""
    best: Parts | None = None
    for parts in choices:
        if parts is None:
            continue
        if (
            best is None
            or (size := _size(parts)) < _size(best)
            or (size == _size(best) and _points(parts) < _points(best))
        ):
            best = parts
    return best


def _size(parts: Parts) -> int:
    return sum(part.size for part in parts)


def _points(parts: Parts) -> list[int]:
    return sorted(point for part in parts for point in part.points)
