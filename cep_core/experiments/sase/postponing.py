"""Postponing: one run for each first event, which ignores values, then its subsets under the conditions (SASE++, 5.1).

For each component the run gathers the events that some match may bind to it (Proposition 5.1). Each event of the last
component makes the run an intermediate match. Its subsets in the order of the pattern are the cases of result
construction (Proposition 5.2).

On the fly (section 5.2) the conditions on each event of a closure are evaluated when the event arrives, against all
events gathered so far. The class of a condition says what follows. An event that passes a true-consistent test is SAFE
and not tested again; one that fails it is UNSAFE. An event that fails a false-consistent test, or a test of itself
alone, is dropped. The first event of a closure passes every test that looks back, because no event comes before it. So
an event that fails such a test is kept, but only as a first event.

Only for skip-till-any-match. Cost: matching is linear in the events of each first event's window. Construction is
linear in the number of cases, which may be exponential; collapsed results need no construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from cep_core.experiments.sase.condition_times import Due
from cep_core.experiments.sase.interpreting import Bound
from cep_core.experiments.sase.plan_edges import Binding, PlanEdges
from cep_core.language.patterns.tree import PrefixAggregate
from cep_core.language.patterns.walk import walk


class Label(StrEnum):
    """What a test on the fly says about an event."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DROPPED = "dropped"


@dataclass
class MainRun:
    """The events gathered for one first event, by component."""

    buffers: list[list[int]]
    labels: dict[tuple[int, int], Label] = field(default_factory=dict)
    """By (number of the test, row)."""
    only_first: set[tuple[int, int]] = field(default_factory=set)
    """Pairs (component, row): the event may only be the first one of the closure."""


class Postponing:
    """The postponing algorithm for one partition."""

    def __init__(self, plan: PlanEdges) -> None:
        self.plan = plan
        self.runs: list[MainRun] = []

    def matches(self, rows: Sequence[int]) -> list[Binding]:
        """The matches, or with `collapse` the intermediate matches."""
        plan, last = self.plan, len(self.plan.components) - 1
        matches: list[Binding] = []
        for row in rows:
            if plan.optimisations.prune_by_window:
                kept = [run for run in self.runs if plan.inside(run.buffers[0][0], row)]
                plan.counters.terminations += len(self.runs) - len(kept)
                self.runs = kept
            places = [number for number in range(last + 1) if self._fits(row, number)]
            if last == 0 and places:
                matches += self._results(MainRun([[row]]), row)
            for run in self.runs:
                for number in places:
                    if not self._admits(run, number, row):
                        continue
                    if number == last:
                        matches += self._results(run, row)
                    if number < last or plan.components[number].kleene:
                        run.buffers[number].append(row)
                        plan.counters.extensions += 1
            if 0 in places:
                plan.counters.initialisations += 1
                self.runs.append(MainRun([[row], *([] for _ in range(last))]))
        return matches

    def _fits(self, row: int, component: int) -> bool:
        """Whether an event fits a component.

        Conditions on one event alone are both-consistent, so they may be evaluated on the fly.
        """
        plan = self.plan
        if not plan.fits(row, component):
            return False
        return plan.optimisations.push_vertex or not plan.optimisations.on_the_fly or plan.vertex(row, component)

    def _admits(self, run: MainRun, component: int, row: int) -> bool:
        """Whether some match of a run may bind the event: the component before has events, and no test drops it."""
        plan = self.plan
        if component == 0 and not plan.components[0].kleene:
            return False
        if component and not any(plan.later(earlier, row) for earlier in run.buffers[component - 1]):
            return False
        if not plan.later(run.buffers[0][0], row) or not plan.inside(run.buffers[0][0], row):
            return False
        return not plan.optimisations.on_the_fly or self._label(run, component, row) is not Label.DROPPED

    def _label(self, run: MainRun, component: int, row: int) -> Label:
        """Evaluates the conditions due with the event against all events gathered so far."""
        plan = self.plan
        earlier = [candidate for candidate in run.buffers[component] if plan.later(candidate, row)]
        bound = {plan.components[k].variable: buffer for k, buffer in enumerate(run.buffers[:component])}
        bound[plan.components[component].variable] = [*earlier, row]
        overall = Label.SAFE
        for number, test in enumerate(plan.tests):
            if test.due != component or test.at_exit or test.consistency == "inconsistent":
                continue
            if not self._of_known_events(test, component):
                continue
            plan.counters.edge_evaluations += 1
            if plan.holds(test, bound, newest=True):
                # A pass counts only if it holds for every subset. A subset of unknown values alone has no maximum.
                if test.consistency == "both" or (test.consistency == "true" and self._known(test, bound)):
                    run.labels[number, row] = Label.SAFE
            elif test.consistency == "true":
                run.labels[number, row] = Label.UNSAFE
                overall = Label.UNSAFE
            elif test.looks_back:
                run.only_first.add((component, row))
            else:
                return Label.DROPPED
        return overall

    def _known(self, test: Due, bound: Bound) -> bool:
        """Whether every value that a test aggregates is known."""
        parts = [part for part in walk(test.expression) if isinstance(part, PrefixAggregate) and part.attribute]
        return all(self.plan.columns[str(p.attribute)][row] is not None for p in parts for row in bound[p.variable])

    def _of_known_events(self, test: Due, component: int) -> bool:
        """Whether every other variable of a test has one event in this run. Otherwise a failure decides nothing."""
        names = {name for name in test.running if name != self.plan.components[component].variable}
        plain = {c.variable for k, c in enumerate(self.plan.components) if k and k != component and not c.kleene}
        return not names and not plain & set(self.plan.mentioned(test))

    def _results(self, run: MainRun, row: int) -> list[Binding]:
        """The matches of a run that end at an event, or their superset."""
        plan, last = self.plan, len(self.plan.components) - 1
        plan.counters.proceedings += 1
        before = [[candidate for candidate in buffer if plan.later(candidate, row)] for buffer in run.buffers]
        if plan.optimisations.collapse:
            ends = [*before[-1], row] if plan.components[last].kleene else [row]
            return [tuple(tuple(buffer) for buffer in (*before[:-1], ends))] if last else [(tuple(ends),)]
        matches = []
        for case in self._cases(run, before, row):
            plan.counters.cases += 1
            if self._holds(run, case):
                matches.append(case)
        return matches

    def _cases(self, run: MainRun, before: list[list[int]], row: int) -> Iterator[Binding]:
        """Every subset in the order of the pattern, with the run's first event and the last event `row`."""
        plan, last = self.plan, len(self.plan.components) - 1
        first = run.buffers[0][0]

        def go_on(done: Binding, component: int) -> Iterator[Binding]:
            latest = done[-1][-1]
            if component == last:
                binding = (*done, (row,)) if len(done) == last else (*done[:-1], (*done[-1], row))
                if plan.later(latest, row):
                    yield binding
            if len(done) == component + 1 and component < last:
                yield from go_on(done, component + 1)
            stays = plan.components[component].kleene or len(done) == component
            for candidate in before[component] if stays else ():
                if not plan.later(latest, candidate):
                    continue
                if len(done) == component:
                    yield from go_on((*done, (candidate,)), component)
                elif (component, candidate) not in run.only_first:
                    yield from go_on((*done[:-1], (*done[-1], candidate)), component)

        if last == 0:
            if first == row:
                yield ((row,),)
                return
            before = [[candidate for candidate in before[0] if candidate != first]]
        yield from go_on(((first,),), 0)

    def _holds(self, run: MainRun, case: Binding) -> bool:
        """Whether a case satisfies the conditions that are not yet decided."""
        plan = self.plan
        if not plan.agree(case):
            return False
        if not (plan.optimisations.push_vertex or plan.optimisations.on_the_fly) and not all(
            plan.vertex(row, component) for component, rows in enumerate(case) for row in rows
        ):
            return False
        bound = plan.by_name(case)
        for number, test in enumerate(plan.tests):
            if (
                not test.at_exit
                and case[test.due]
                and all(run.labels.get((number, row)) is Label.SAFE for row in case[test.due])
            ):
                continue
            plan.counters.tests += 1
            if not plan.holds(test, bound):
                return False
        return True
