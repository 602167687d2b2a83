"""Open entries are pairwise inequivalent once the next stamp is known (M11), by truth tables of what they wait for.

An entry's Boolean expression is tabled by trying all truths of its variables. When the next stamp comes, variables that
waited too long are false; then of entries with one table (of one stamp, in local mode) the earliest stays, and the
others are told as equal to it.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import event, given

from cep_core.arrays import Ints
from cep_core.language.propositional.bind.assumed_schema import schema_mentioned_by
from cep_core.language.propositional.bind.binding import bind_written
from cep_core.language.propositional.text.parsing import parse
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.stream.kernels.state import (
    ACTIVE,
    BEGAN,
    BEGIN,
    CLASSES,
    COUNT,
    DIAGRAM,
    FAR,
    FLAT,
    GROUPS,
    HIGH,
    KIND,
    LOW,
    NEAR,
    NEXT,
    NODE,
    OFFSET,
    TRUE,
    TS,
    WAITS,
)
from cep_core.monitoring.propositional.stream.monitor import StreamMonitor
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces
from tests.counts import few
from tests.monitoring.propositional.streamed import Point, verdicts_of

MOST_VARIABLES = 8
Variable = tuple[int, int]
"""A node of the program and the stamp at which it began."""


class Entries:
    """The open entries of a monitor, oldest first, and their tables when the next point has a stamp."""

    def __init__(self, monitor: StreamMonitor, last: int, now: int) -> None:
        state = monitor._state
        at, classes, groups = state.at, state.open.classes, state.open.groups
        self.is_flat = bool(at[FLAT])
        self.program, self.table = state.program, state.diagrams.table
        self.last, self.now = last, now
        places = list(range(at[ACTIVE], at[ACTIVE] + at[CLASSES] + at[WAITS]))
        if self.is_flat:
            earlier = [range(group[BEGIN], group[BEGIN] + group[COUNT]) for group in groups[: at[GROUPS]]]
            places = [place for some in earlier for place in some] + places
        self.rows = [classes[place] for place in places]
        self.points: list[Point] = [(int(row[TS]), int(row[OFFSET])) for row in self.rows]
        self.variables = sorted({variable for row in self.rows for variable in self._variables(row)})

    def tables(self) -> list[tuple[bool, ...]]:
        """The truth of each entry for all truths of the variables."""
        free = [variable for variable in self.variables if not self._has_passed(variable)]
        rows = [dict(zip(free, truths, strict=True)) for truths in product([False, True], repeat=len(free))]
        return [tuple(self._truth(entry, int(entry[DIAGRAM]), row) for row in rows) for entry in self.rows]

    def _variables(self, entry: Ints) -> set[Variable]:
        variables, waiting = set(), [int(entry[DIAGRAM])]
        while waiting:
            d = waiting.pop()
            if d > TRUE:
                variables.add(self._variable(entry, d))
                waiting += [int(self.table[d, HIGH]), int(self.table[d, LOW])]
        return variables

    def _variable(self, entry: Ints, d: int) -> Variable:
        node, began = int(self.table[d, NODE]), int(self.table[d, BEGAN])
        is_until = node >= len(self.program) or self.program[node, KIND] != NEXT
        if is_until and node < len(self.program) and self.is_flat:
            began = int(entry[TS])  # a flat program writes none
        return node, began

    def _has_passed(self, variable: Variable) -> bool:
        """Whether the next point is too late for it, or too early for NEXT."""
        node, began = variable
        if node >= len(self.program):
            return False
        low, high = (int(bound) & (2**64 - 1) for bound in self.program[node, [NEAR, FAR]])
        if self.program[node, KIND] == NEXT:
            return not low <= self.now - self.last <= high
        return self.now - began > high

    def _truth(self, entry: Ints, d: int, row: dict[Variable, bool]) -> bool:
        while d > TRUE:
            d = int(self.table[d, HIGH if row.get(self._variable(entry, d), False) else LOW])
        return d == TRUE


def after_each_step(formula: Formula, trace: Trace, mode: str) -> tuple[int, int]:
    """Checks every step; gives how many entries were told as equal, and the most that stayed."""
    monitor = StreamMonitor(without_sugar(formula), mode)
    equal, most = 0, 0
    for n in range(trace.points):
        entries = Entries(monitor, int(trace.stamps[max(n - 1, 0)]), int(trace.stamps[n]))
        expected: dict[Point, bool | Point] = {}
        kept: dict[object, Point] = {}
        is_small = len(entries.variables) <= MOST_VARIABLES
        for point, table in zip(entries.points, entries.tables(), strict=True) if is_small else ():
            key = (table, point[0] if mode == "local" else None)
            if len(set(table)) == 1:
                expected[point] = table[0]
            elif key in kept:
                expected[point] = kept[key]
                equal += 1
            else:
                kept[key] = point
        most = max(most, len(kept))
        atoms = {name: column[n : n + 1] for name, column in trace.atoms.items()}
        verdicts = verdicts_of(monitor.take(trace.stamps[n : n + 1], atoms))
        said = {verdict.point: verdict.truth if verdict.equal is None else verdict.equal for verdict in verdicts}
        assert {point: said.get(point) for point in expected} == expected
        assert not is_small or {verdict.point for verdict in verdicts if verdict.equal is not None} <= expected.keys()
    return equal, most


@pytest.mark.parametrize("mode", ["local", "global"])
@few(40)
@given(formula=propositional_formulas(sugar=True, depth=3), trace=drawn_traces(rate=3))
def test_entries_are_pairwise_inequivalent_once_the_next_stamp_is_known(
    mode: str, formula: Formula, trace: Trace
) -> None:
    if StreamMonitor(without_sugar(formula), mode).program.is_past_only:
        return
    equal, most = after_each_step(formula, trace, mode)
    event("some are equal" if equal else "none are equal")
    event("several stay" if most > 1 else "at most one stays")


@pytest.mark.parametrize("mode", ["local", "global"])
@pytest.mark.parametrize(
    "text",
    [
        "p UNTIL[0,2] q",
        "((p UNTIL[0,2] q) AND NOT NEXT[0,1] r) OR EVENTUALLY[1,3] r",
        "p UNTIL[0,2] (q UNTIL[1,2] r)",
        "(p UNTIL[0,2] q) AND ((r UNTIL[0,1] q) OR NOT (p UNTIL[0,2] r))",
    ],
)
def test_and_in_logs_with_many_open_points(text: str, mode: str) -> None:
    random = np.random.default_rng(3)
    stamps = np.sort(random.integers(0, 12, 80))
    atoms = {name: random.random(80) < share for name, share in (("p", 0.8), ("q", 0.2), ("r", 0.3))}
    written = parse(text)
    formula = bind_written(written, schema_mentioned_by(written), text).core
    equal, most = after_each_step(formula, Trace(stamps, atoms, np.array([0, 80])), mode)
    assert equal > 5
    assert most > 1
