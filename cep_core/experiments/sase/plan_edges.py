"""The edges of a pattern execution plan: what an event may be bound to, and which conditions decide it (SASE++, 5.1).

Both ways to execute a plan use it: run by run (`run_by_run`) and postponed (`postponing`). It is plain Python and
handles one event at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from cep_core.events.schema import Ties
from cep_core.experiments.sase.condition_times import Due, attributes_read, components_of, tests_of
from cep_core.experiments.sase.interpreting import Bound, Columns, places_of, value_of
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.walk import variables_of

Binding = tuple[tuple[int, ...], ...]
"""For each component, the rows bound to it."""


@dataclass(frozen=True)
class Optimisations:
    """What the engine does beyond the bare automaton."""

    push_vertex: bool = False
    """Conditions on one event filter before any run sees it."""
    partition: bool = False
    """Runs are grouped by the value of an equivalence that every component has; they see only events of that value."""
    prune_by_window: bool = False
    """A run is dropped as soon as an event lies beyond its window, not only when it would be complete."""
    buffer: bool = False
    """Events wait until every component has one (ZStream)."""
    postpone: bool = False
    """One value-blind run for each first event; its subsets are enumerated under the conditions (section 5.1)."""
    on_the_fly: bool = False
    """With `postpone`: events are labelled or dropped as they arrive, by the class of each condition (section 5.2)."""
    collapse: bool = False
    """With `postpone`: the superset is the result, its subsets are not enumerated."""


@dataclass
class Primitives:
    """How often each primitive of a pattern execution plan was executed, and how many matches that gave."""

    edge_evaluations: int = 0
    initialisations: int = 0
    extensions: int = 0
    clonings: int = 0
    proceedings: int = 0
    terminations: int = 0
    cases: int = 0
    """Subsets enumerated by result construction."""
    tests: int = 0
    """Conditions evaluated during result construction."""
    matches: int = 0

    @property
    def runs(self) -> int:
        """The number of all runs that were ever started."""
        return self.initialisations + self.clonings


@dataclass
class PlanEdges:
    """The edges of a query's plan over the log that was read last. `counters` add up over all calls."""

    query: Query
    optimisations: Optimisations = Optimisations()
    counters: Primitives = field(default_factory=Primitives)

    def __post_init__(self) -> None:
        self.components = components_of(self.query)
        names = [component.variable for component in self.components]
        self.tests = [test for test in tests_of(self.query, names) if not test.vertex]
        self.vertex_tests = [test for test in tests_of(self.query, names) if test.vertex]
        keys = [[(names.index(v), x) for v, x in key.members] for key in self.query.key_classes]
        everywhere = [*range(len(names))]
        self.shared = [dict(key) for key in keys if sorted(component for component, _ in key) == everywhere]
        self.shared = self.shared if self.optimisations.partition else []
        """Equivalences that every component has: events of different values never share a run."""
        self.keys = [key for key in keys if dict(key) not in self.shared]
        """The other equivalences, which are evaluated on edges."""

    def read(self, events: pa.Table) -> None:
        """Reads the log on which the plan is executed."""
        names = {name for test in (*self.tests, *self.vertex_tests) for name in attributes_read(test)}
        names |= {x for key in self.query.key_classes for _, x in key.members}
        self.columns: Columns = {name: events[name].to_pylist() for name in names}
        self.types: list[str] = events["event_type"].to_pylist()
        self.ts: list[int] = events["ts"].to_pylist()

    def later(self, first: int, second: int) -> bool:
        return first < second if self.query.schema.ties is Ties.ORDERED else self.ts[first] < self.ts[second]

    def inside(self, first: int, last: int) -> bool:
        """Whether two events fit the window."""
        window = self.query.window
        return last - first < window.size if window.events else self.ts[last] - self.ts[first] <= window.size

    def fits(self, row: int, component: int) -> bool:
        """Whether an event has the type of a component, and meets the conditions that were pushed."""
        if self.types[row] != self.components[component].event_type:
            return False
        return not self.optimisations.push_vertex or self.vertex(row, component)

    def vertex(self, row: int, component: int) -> bool:
        bound = {self.components[component].variable: (row,)}
        return all(
            value_of(t.expression, self.columns, bound, {}) is True for t in self.vertex_tests if t.due == component
        )

    def passes(self, bound: Binding, component: int, *, leaves: int | None) -> bool:
        """Evaluates an edge: conditions due with the last event of `component` and those due when `leaves` ends."""
        self.counters.edge_evaluations += 1
        if not self.optimisations.push_vertex and not self.vertex(bound[component][-1], component):
            return False
        by_name = self.by_name(bound)
        return self.agree(bound) and all(
            self.holds(test, by_name, newest=not test.at_exit)
            for test in self.tests
            if (test.due == leaves if test.at_exit else test.due == component)
        )

    def mentioned(self, test: Due) -> tuple[str, ...]:
        return variables_of(test.expression)

    def by_name(self, bound: Binding) -> Bound:
        return {component.variable: rows for component, rows in zip(self.components, bound, strict=False)}

    def agree(self, bound: Binding) -> bool:
        """Whether the events bound so far agree on the equivalences."""
        for key in self.keys:
            values = {
                self.columns[x][row] for component, x in key if component < len(bound) for row in bound[component]
            }
            if len(values) > 1 or None in values:
                return False
        return True

    def holds(self, test: Due, bound: Bound, *, newest: bool = False) -> bool:
        """Evaluates a condition on a binding. `newest`: only with the last event of the component of `test.due`."""
        due = self.components[test.due].variable
        for at in places_of(test.running, bound):
            if newest and due in at and at[due] != len(bound[due]) - 1:
                continue
            if test.looks_back and any(place == 0 for place in at.values()):
                continue
            if value_of(test.expression, self.columns, bound, at) is not True:
                return False
        return True

    def complete(self, bound: Binding) -> bool:
        """Whether a binding is a match when its last component is left: the window, and the conditions due then."""
        last = len(self.components) - 1
        by_name = self.by_name(bound)
        return self.inside(bound[0][0], bound[-1][-1]) and all(
            self.holds(test, by_name) for test in self.tests if test.at_exit and test.due == last
        )
