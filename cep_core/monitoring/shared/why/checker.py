"""Checks proofs: a tree is accepted only if it proves its claim on the log. Nothing of the engine or the maker is used.

Each node's claim must follow from its children's by the rule of its operator, and each leaf's from the log itself. With
`AnyOther` values a leaf must be so for every value that is meant; a comparison then is false if it asks a value that is
not meant to equal one (`checked_leaves`). What terms mean, and aggregations of listed values, is `scalars`. The log is
closed by one empty point, later than every finite interval reaches. Cost: the points in reach of each node, and the
events of each leaf's point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cep_core.events.logs.point_log import PointLog
from cep_core.language.temporal import formulas as f
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.shared.scalars import Value, aggregate, compares
from cep_core.monitoring.shared.why.checked_leaves import fits, truth
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree, Reading, Valuation

Claim = tuple[f.Formula, int, bool, Valuation]
_PAST = (f.Prev, f.Once, f.Historically, f.Since, f.Trigger)
_CLOCKS = {("tp",): "tp", ("ts",): "ts", ("tp", "ts"): "tpts"}


def proves(tree: ProofTree, log: PointLog, texts: frozenset[str] = frozenset()) -> bool:
    """Whether the tree proves its root's claim on the log, which no event follows. `texts`: variables of type string.

    >>> from cep_core.language.temporal.terms import Constant
    >>> from cep_core.testing.logs import log_of
    >>> p = f.Predicate("P", (Constant(7),), ("1",))
    >>> log = log_of([(1, [("P", 8)])])
    >>> proves(ProofTree(p, 0, {}, holds=True), log), proves(ProofTree(p, 0, {}, holds=False), log)
    (False, True)
    """
    return _Checker(log, texts).accepts(tree)


@dataclass(frozen=True)
class _Checker:
    log: PointLog
    texts: frozenset[str]

    def accepts(self, node: ProofTree) -> bool:
        named = node.valuation.keys() == set(free_variables(node.formula)) and 0 <= node.point <= self.log.points
        named &= not node.untold and (node.seq is None or isinstance(node.formula, f.Predicate))
        try:
            return named and self._follows(node) and all(map(self.accepts, node.children))
        except ArithmeticError:  # a term without value proves nothing
            return False

    def _follows(self, node: ProofTree) -> bool:
        """Whether the claim follows from the children's claims, or, for a leaf, from the log."""

        def claim(part: f.Formula, holds: bool, point: int = node.point) -> Claim:
            return part, point, holds, {name: node.valuation[name] for name in free_variables(part)}

        formula, holds = node.formula, node.holds
        claims: list[Claim] = [(child.formula, child.point, child.holds, child.valuation) for child in node.children]
        match formula:
            case f.Truth():
                return not claims and formula.value == holds
            case f.Predicate():
                return not claims and self._seen(node, formula)
            case f.Comparison() | f.Matches():
                return not claims and node.seq is None and truth(formula, node.valuation) is holds
            case f.Not():
                return claims == [claim(formula.body, not holds)]
            case f.And() | f.Or() | f.Implies():
                left = claim(formula.left, holds != isinstance(formula, f.Implies))
                parts = [left, claim(formula.right, holds)]
                return _chosen(claims, parts, every=holds == isinstance(formula, f.And))
            case f.Equiv():
                return any(claims == [claim(formula.left, s), claim(formula.right, s == holds)] for s in (True, False))
            case f.Exists() | f.Forall():
                names = [name for name in formula.variables if name in free_variables(formula.body)]
                outer = all(
                    claim(formula, holds)[3] == {name: v for name, v in child.valuation.items() if name not in names}
                    and (child.formula, child.point, child.holds) == (formula.body, node.point, holds)
                    for child in node.children
                )
                if holds == isinstance(formula, f.Exists):
                    return outer and len(claims) == 1 and _has_values(node.children[0], names)
                return outer and _covers(node.children, names)
            case f.Prev() | f.Next():
                place = node.point + (-1 if isinstance(formula, f.Prev) else 1)
                if place in self._places(formula.interval, node.point, past=isinstance(formula, f.Prev)):
                    return claims == [claim(formula.body, holds, place)]
                return not holds and not claims
            case f.Once() | f.Eventually() | f.Historically() | f.Always():
                places = self._places(formula.interval, node.point, past=isinstance(formula, _PAST))
                every = holds == isinstance(formula, f.Historically | f.Always)
                return _chosen(claims, [claim(formula.body, holds, place) for place in places], every=every)
            case f.Since() | f.Until() | f.Trigger() | f.Release():
                places = self._places(formula.interval, node.point, past=isinstance(formula, _PAST))
                right = [claim(formula.right, holds, place) for place in places]
                first = claims[0][1] if claims else -1
                if holds == isinstance(formula, f.Since | f.Until):
                    between = (
                        range(first + 1, node.point + 1) if isinstance(formula, _PAST) else range(node.point, first)
                    )
                    needed = [claim(formula.left, holds, place) for place in between]
                    return first in places and claims == [claim(formula.right, holds, first), *needed]
                past = isinstance(formula, _PAST)
                after = [part for part in right if (part[1] >= first if past else part[1] <= first)]
                ahead = 0 <= first <= node.point if past else node.point <= first <= self.log.points
                return claims == right or (ahead and claims == [claim(formula.left, holds, first), *after])
            case f.Aggregation():
                return _aggregates(node, formula, self.texts)
        return False

    def _places(self, interval: Interval, point: int, *, past: bool) -> list[int]:
        """The points, ascending, that an interval reaches from a point."""
        places = []
        for place in range(point, -1, -1) if past else range(point, self.log.points + 1):
            apart = 0 if place == point else abs(self._stamp(place) - self._stamp(point))
            if interval.high is not None and apart > interval.high:
                break
            places += [place] * (apart >= interval.low)
        return sorted(places)

    def _stamp(self, point: int) -> int | float:
        return int(self.log.stamps[point]) if point < self.log.points else math.inf

    def _seen(self, node: ProofTree, atom: f.Predicate) -> bool:
        """Whether an atom's leaf is what the log has at its point: an event, or none that could be meant."""
        seen = [(seq, fits(atom, event, node.valuation)) for seq, event in self._events(atom, node.point)]
        return (node.seq, True) in seen if node.holds else node.seq is None and all(fit is False for _, fit in seen)

    def _events(self, atom: f.Predicate, point: int) -> Iterator[tuple[int | None, dict[str, Value | None]]]:
        """Each event of the atom's type at a point, with its `seq`."""
        ts = 2**63 - 1 if point == self.log.points else int(self.log.stamps[point])
        if _CLOCKS.get(atom.names or ()) == atom.event_type:
            yield None, {"tp": point, "ts": ts}
        elif atom.event_type in self.log.events:
            typed = self.log.events[atom.event_type]
            for row in range(*np.searchsorted(typed.point, [point, point + 1]).tolist()):
                seq = None if typed.seq is None else int(typed.seq[row])
                yield seq, {"ts": ts, "seq": seq} | {name: col[row].as_py() for name, col in typed.columns.items()}


def _chosen(claims: Sequence[Claim], options: Sequence[Claim], *, every: bool) -> bool:
    return claims == options if every else len(claims) == 1 and claims[0] in options


def _has_values(node: ProofTree, names: Sequence[str]) -> bool:
    return not any(isinstance(node.valuation.get(name), AnyOther) for name in names)


def _covers(nodes: Sequence[ProofTree], names: Sequence[str]) -> bool:
    """Whether the nodes are about each valuation of the names once: some values of the first name, and any other."""
    if not names:
        return len(nodes) == 1
    parts: dict[Reading | None, list[ProofTree]] = {}
    for node in nodes:
        parts.setdefault(node.valuation.get(names[0]), []).append(node)
    listed = {value for value in parts if not isinstance(value, AnyOther)}
    others = [value.excluded for value in parts if isinstance(value, AnyOther)]
    return others == [listed] and all(_covers(part, names[1:]) for part in parts.values())


def _aggregates(node: ProofTree, formula: f.Aggregation, texts: frozenset[str]) -> bool:
    """Whether the children judge each valuation of the body once, and those that hold give the result, or another."""
    groups = [group.name for group in formula.groups]
    names = [name for name in free_variables(formula.body) if name not in groups]
    for child in node.children:
        own = {name: value for name, value in child.valuation.items() if name not in names}
        if (child.formula, child.point, own) != (
            formula.body,
            node.point,
            {name: node.valuation[name] for name in groups},
        ):
            return False
    rows = [child.valuation for child in node.children if child.holds]
    if not _covers(node.children, names) or any(isinstance(value, AnyOther) for row in rows for value in row.values()):
        return False
    values = [value for row in rows if not isinstance(value := row[formula.item.name], AnyOther)]
    result = node.valuation[formula.result.name]
    if not values and groups:
        return not node.holds
    is_text = not values and formula.function in ("MIN", "MAX") and formula.item.name in texts
    computed = "" if is_text else aggregate(formula.function, values)
    if isinstance(result, AnyOther):
        return not node.holds and computed in result.excluded
    return node.holds == compares("=", computed, result)
