"""SASE++'s own engine, run by run. It counts NFA^b's primitives; each of the paper's optimisations may be on or off.

An event is offered to every run, which is extended, cloned or left alone (SASE++, sections 2.2 and 5.1). Under
skip-till-any-match a run that takes an event is cloned first, because it might also have ignored the event. So the
number of runs is exponential in the events of a closure. The paper's optimisations and our columnar engine avoid this.
This engine is the yardstick for both. It serves tests, `explain` and benchmarks, and never computes answers.

Defined for a sequence of types and closures of types without negation. Cost: events times runs alive, in plain Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from cep_core.experiments.sase.plan_edges import Binding, Optimisations, PlanEdges
from cep_core.experiments.sase.postponing import Postponing
from cep_core.experiments.sase.run_by_run import RunByRun
from cep_core.language.patterns.query import Strategy

__all__ = ["ExecutionPlan", "Optimisations"]


@dataclass
class ExecutionPlan(PlanEdges):
    """A query on the run-by-run engine; `counters` add up over `matches`.

    >>> from cep_core.events.table import log_schema_of, order
    >>> from cep_core.language.patterns.bind.binding import bind
    >>> log = order(pa.table({"event_type": list("ABBBC"), "ts": range(5)}))
    >>> plan = ExecutionPlan(bind("PATTERN SEQ(A a, B+ b[], C c) WITHIN 10", log_schema_of(log)))
    >>> len(plan.matches(log)), plan.counters.runs
    (7, 15)
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        options = self.optimisations
        if self.query.strategy is not Strategy.ANY and (options.postpone or options.buffer):
            raise ValueError("only skip-till-any-match allows operations to be postponed")
        if self.query.strategy is not Strategy.ANY and not options.prune_by_window:
            raise ValueError("under one match for each start the window decides which events a run takes")
        if (options.on_the_fly or options.collapse) and not options.postpone:
            raise ValueError("on-the-fly evaluation and collapsed results go with postponing")

    def matches(self, events: pa.Table) -> list[Binding]:
        """All matches of a log in (ts, seq) order, or with `collapse` the supersets that stand for them."""
        self.read(events)
        technique = Postponing if self.optimisations.postpone else RunByRun
        matches = [match for rows in self._partitions() for match in technique(self).matches(rows)]
        self.counters.matches += len(matches)
        return sorted(matches, key=lambda match: (match[-1][-1], match))

    def _partitions(self) -> Iterator[Sequence[int]]:
        """Groups of rows: a match has rows of one group only."""
        if not self.shared:
            yield range(len(self.types))
            return
        by_type: dict[str, list[tuple[str, ...]]] = {}
        for number, component in enumerate(self.components):
            own = tuple(key[number] for key in self.shared)
            by_type.setdefault(component.event_type, []).append(own)
        groups: dict[tuple[object, ...], list[int]] = {}
        for row, event_type in enumerate(self.types):
            for own in dict.fromkeys(by_type.get(event_type, ())):
                value = tuple(self.columns[x][row] for x in own)
                if None not in value:
                    groups.setdefault(value, []).append(row)
        yield from groups.values()
