"""Proof trees as text for people.

Each line is a claim; what it follows from stands below, indented. Negations have no line of their own, since lines say
what holds and what does not. Leaves that differ in nothing but the point share a line: "no P(3) at 40 points". Below
one claim at most `MOST` lines are told at length; of an aggregation, so many of the rows that count. Cost: linear in
the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cep_core.events.logs.point_log import PointLog
from cep_core.language.first_order.bind.unfolding import substituted
from cep_core.language.first_order.text.printing import term_text
from cep_core.language.temporal.formulas import Aggregation, Formula, Not, Predicate
from cep_core.language.temporal.terms import Constant
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree, Reading, Valuation

MOST = 20
"""The most lines below one claim, and the most rows of an aggregation."""
_WIDEST = 120
Words = Callable[[Formula], str]


def proof_text(tree: ProofTree, log: PointLog, words: Words, time: Callable[[int], str] = str) -> str:
    """The tree as lines of text. `words`: a formula as text; `time` shows a stamp."""
    return "\n".join(_Telling(log, words, time).lines(tree))


@dataclass(frozen=True)
class _Telling:
    log: PointLog
    words: Words
    time: Callable[[int], str]

    def lines(self, node: ProofTree, depth: int = 0, above: Valuation | None = None) -> Iterator[str]:
        """The lines of a claim. `above`: the values that the line above has told."""
        indent = "  " * depth
        while depth and isinstance(node.formula, Not):
            node = node.children[0]
        if node.is_leaf:
            yield f"{indent}{_leaf_text(node, self.words)}{self._at([node])}"
            return
        new = {name: value for name, value in node.valuation.items() if above is None or above.get(name) != value}
        verb = "holds" if node.holds else "does not hold"
        yield f"{indent}{self.text(node.formula)} {verb}{_for(new)}{self._at([node])}"
        children = node.children
        if isinstance(node.formula, Aggregation):
            children = tuple(child for child in children if child.holds)
            yield f"{indent}  rows that count: {len(children)}"
        groups = list(_groups(children, self.words))
        for group in groups[:MOST]:
            if len(group) > 1:
                yield f"{indent}  {_leaf_text(group[0], self.words)}{self._at(group)}"
            else:
                yield from self.lines(group[0], depth + 1, node.valuation)
        if len(groups) > MOST:
            yield f"{indent}  and {len(groups) - MOST:,} more"

    def text(self, formula: Formula) -> str:
        text = self.words(formula)
        return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}..."

    def _at(self, nodes: Sequence[ProofTree]) -> str:
        if not isinstance(nodes[0].formula, Predicate) and nodes[0].is_leaf:
            return ""
        places = [node.point for node in nodes]
        if len(places) == 1:
            return f" {self._time(places[0])}"
        return f" at {len(places):,} points, first {self._time(min(places))}, last {self._time(max(places))}"

    def _time(self, point: int) -> str:
        if point == self.log.points:
            return "after the log's end"
        ts = int(self.log.stamps[point])
        first, end = np.searchsorted(self.log.stamps, ts, "left"), np.searchsorted(self.log.stamps, ts, "right")
        return f"at {self.time(ts)}" if end - first == 1 else f"at {self.time(ts)}, offset {point - first}"


def _groups(children: Sequence[ProofTree], words: Words) -> Iterator[list[ProofTree]]:
    """Leaves that differ in their points only, together; every other claim alone."""
    groups: dict[str | int, list[ProofTree]] = {}
    for place, child in enumerate(children):
        bare = child
        while isinstance(bare.formula, Not):
            bare = bare.children[0]
        key = _leaf_text(bare, words) if bare.is_leaf and bare.seq is None else place
        groups.setdefault(key, []).append(bare)
    yield from groups.values()


def _leaf_text(leaf: ProofTree, words: Words) -> str:
    """An event, its absence, or a test, with the values in the place of variables."""
    values = {name: Constant(value) for name, value in leaf.valuation.items() if not isinstance(value, AnyOther)}
    text = words(substituted(leaf.formula, values))
    others = [name for name in free_variables(leaf.formula) if isinstance(leaf.valuation[name], AnyOther)]
    if isinstance(leaf.formula, Predicate):
        number = "" if leaf.seq is None else f" (seq {leaf.seq})"
        text = f"{'' if leaf.holds else 'no '}{text}{number}"
    else:
        text = f"{text} {'holds' if leaf.holds else 'does not hold'}"
    return f"{text}{_for({name: leaf.valuation[name] for name in others})}"


def _for(readings: Valuation) -> str:
    """The values of variables, as a line tells them."""
    return " for " + ", ".join(f"{_value_text(name, value)}" for name, value in readings.items()) if readings else ""


def _value_text(name: str, value: Reading) -> str:
    if isinstance(value, AnyOther):
        return f"any other {name}" if value.excluded else f"any {name}"
    return f"{name} = {term_text(Constant(value))}"
