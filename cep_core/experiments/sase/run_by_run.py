"""Executes a plan run by run: an event is offered to every run, which takes it or ignores it (SASE++, 2.2 and 5.1).

Cost: events times runs alive. Under skip-till-any-match the runs are exponential in the events of a closure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cep_core.experiments.sase.plan_edges import Binding, PlanEdges
from cep_core.language.patterns.query import Strategy


@dataclass(frozen=True)
class SaseRun:
    """A partial match."""

    bound: Binding
    """The rows of each component, up to the one that the run is in, which has at least one row."""
    last: int


class RunByRun:
    """The automaton's runs over one partition."""

    def __init__(self, plan: PlanEdges) -> None:
        self.plan = plan

    def matches(self, rows: Sequence[int]) -> list[Binding]:
        runs: list[SaseRun] = []
        matches: list[Binding] = []
        recent: list[int] = []  # rows in the window, whether they wait or not
        waiting: list[int] = []
        for row in rows:
            if not self.plan.optimisations.buffer:
                runs = self._offer(row, runs, matches)
                continue
            if any(self.plan.fits(row, number) for number in range(len(self.plan.components))):
                recent = [waiting_row for waiting_row in recent if self.plan.inside(waiting_row, row)] + [row]
                waiting = [waiting_row for waiting_row in waiting if self.plan.inside(waiting_row, row)] + [row]
            if self.plan.fits(row, len(self.plan.components) - 1) and self._all_there(recent):
                for waiting_row in waiting:
                    runs = self._offer(waiting_row, runs, matches)
                waiting = []
        if self.plan.query.strategy is not Strategy.ANY:
            matches += [longest for run in runs for longest in self._longest(run)]
        return matches

    def _all_there(self, recent: list[int]) -> bool:
        """Whether each component has an event in the window."""
        return all(any(self.plan.fits(row, number) for row in recent) for number in range(len(self.plan.components)))

    def _offer(self, row: int, runs: list[SaseRun], matches: list[Binding]) -> list[SaseRun]:
        """The runs after an event."""
        alive: list[SaseRun] = []
        any_match = self.plan.query.strategy is Strategy.ANY
        for run in runs:
            if self.plan.optimisations.prune_by_window and not self.plan.inside(run.bound[0][0], row):
                self.plan.counters.terminations += 1
                matches += [] if any_match else self._longest(run)
                continue
            moves = list(self._moves(run, row))
            if any_match or not moves:
                if moves or self.plan.query.strategy in (Strategy.ANY, Strategy.NEXT):
                    alive.append(run)  # the run that ignores the event
                else:
                    self.plan.counters.terminations += 1
                    matches += self._longest(run)
                    continue
            for bound in moves if any_match else moves[:1]:
                if any_match:
                    self.plan.counters.clonings += 1
                self.plan.counters.extensions += 1
                self._go_on(SaseRun(bound, row), alive, matches)
        if self.plan.fits(row, 0) and self.plan.passes(((row,),), 0, leaves=None):
            self.plan.counters.initialisations += 1
            self._go_on(SaseRun(((row,),), row), alive, matches)
        return alive

    def _moves(self, run: SaseRun, row: int) -> Iterator[Binding]:
        """The bindings that the run may get with the event. Leaving a closure comes before staying in it."""
        at = len(run.bound) - 1
        if not self.plan.later(run.last, row):
            return
        if self.plan.query.strategy is Strategy.STRICT and row != run.last + 1:
            return
        if at + 1 < len(self.plan.components) and self.plan.fits(row, at + 1):
            bound = (*run.bound, (row,))
            if self.plan.components[at].kleene:
                self.plan.counters.proceedings += 1
            if self.plan.passes(bound, at + 1, leaves=at):
                yield bound
        if self.plan.components[at].kleene and self.plan.fits(row, at):
            bound = (*run.bound[:-1], (*run.bound[-1], row))
            if self.plan.passes(bound, at, leaves=None):
                yield bound

    def _go_on(self, run: SaseRun, alive: list[SaseRun], matches: list[Binding]) -> None:
        """A run in its last component is a match. It ends there unless that component is a closure."""
        last = len(self.plan.components) - 1
        if len(run.bound) <= last:
            alive.append(run)
            return
        if self.plan.query.strategy is Strategy.ANY:
            matches += [run.bound] if self.plan.complete(run.bound) else []
        elif not self.plan.components[last].kleene:
            matches += self._longest(run)
        if self.plan.components[last].kleene:
            alive.append(run)
        else:
            self.plan.counters.terminations += 1

    def _longest(self, run: SaseRun) -> list[Binding]:
        """The longest part of an ended run that is a match, as a list of at most one."""
        if len(run.bound) < len(self.plan.components):
            return []
        for length in range(len(run.bound[-1]), 0, -1):
            bound = (*run.bound[:-1], run.bound[-1][:length])
            if self.plan.complete(bound):
                return [bound]
        return []
