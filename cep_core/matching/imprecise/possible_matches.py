"""The answers of a query WITH CONFIDENCE: which possible matches end at this row, by recorded time?

Answers are ordered by the (ts, seq) of their last events, and become certain on one of the days. Conditions that need
a whole match are judged on the matches that the search lists. If a condition depends on the order of a closure's
events, it is judged on each order. Cost: a sort of rows, the search, and the orders of possible matches if they are
needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Floats, Ints
from cep_core.language.budget import Budget, WorkExhausted
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.bind.imprecision import known_after
from cep_core.language.totals import Days, owned_moments
from cep_core.matching.arrays.event_graph import EventGraph, event_graph
from cep_core.matching.arrays.network import any_state
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.arrays.window_rows import first_rows_from
from cep_core.matching.imprecise.confidence.absent import chances_without
from cep_core.matching.imprecise.confidence.orders import Orders, orders_of
from cep_core.matching.imprecise.intervals import intervals
from cep_core.matching.imprecise.kernels.search import PossibleNetwork, TooManyAtOnce, possible_matches
from cep_core.matching.imprecise.kernels.search_walk import Questions
from cep_core.matching.imprecise.kernels.useful import useful_nodes
from cep_core.matching.imprecise.kernels.worlds import STRICT, Times, times_of
from cep_core.matching.imprecise.possible_plan import PossiblePlan
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.result.match_answers import JudgedAnswers
from cep_core.matching.result.match_rows import CONFIDENCE
from cep_core.matching.result.spending import Spending
from cep_core.matching.result.tally import ListingTally

ALL = np.iinfo(np.int64).max


class PossibleGraph(NamedTuple):
    """The events of a slice over possible worlds."""

    plan: PossiblePlan
    judge: BindingJudge
    graph: EventGraph
    times: Times
    budget: Budget

    def orders(self, paths: Paths) -> tuple[Orders, Flags]:
        """Every order of every match, its probability after negations, and whether the conditions hold in it.

        Raises WorkExhausted.
        """
        plan, graph, judge, times = self.plan, self.graph, self.judge, self.times
        orders = orders_of(graph.network, judge.variable_of, plan.kinds, times, paths, graph.width, self.budget)
        good = judge.accepts(graph, orders.paths)
        if plan.negations and len(orders.paths):
            matches = judge.matches(graph, judge.bound(orders.paths), len(orders.paths))
            chances = chances_without(graph, plan.automaton, plan.kinds, times, orders.paths, matches, self.budget)
            orders = orders._replace(chances=chances)
        return orders, good

    def likely(self, paths: Paths, confidences: Floats) -> tuple[Paths, Floats, Ints]:
        """The possible matches that pass conditions and negations, their confidences, and each input's steps."""
        steps = np.zeros(len(paths), np.int64)
        if not len(paths) or not self.plan.judges:
            return paths, confidences, steps
        if self.plan.by_order or self.plan.negations:
            (orders, chances, steps), good = self.orders(paths)
            confidences = np.zeros(len(paths))
            np.add.at(confidences, orders.jobs, chances * good)
        else:
            confidences = confidences * self.judge.accepts(self.graph, paths)
        kept = np.flatnonzero([self.plan.confidence.accepts(chance) for chance in confidences])
        return paths.take(kept), np.minimum(confidences[kept], 1.0), steps


@dataclass(frozen=True)
class PossibleMatches(JudgedAnswers):
    """One answer for each candidate that may be the last event of a match."""

    possible: PossibleGraph
    lows: Ints
    """For each answer, the first row that its matches may contain."""
    in_order: bool
    """Whether the rows of each partition are in the order of seq; then the search yields matches in result order."""

    def path_states(self, states: Ints) -> Ints:
        """The variable of each state; it orders rows, because the state of an event differs from world to world."""
        return self.judge.variable_of[states]

    def nodes(self) -> Paths:
        return useful_nodes(self.graph.network, self.possible.times, self.last_rows, self.lows, self.graph.width)

    def judged(self, tally: ListingTally, spending: Spending) -> Iterator[tuple[Paths, dict[str, pa.Array]]]:
        plan = self.possible.plan
        most = np.full(len(self.last_rows), ALL)
        if tally.max_matches is not None and self.in_order and not plan.judges:
            most[:] = tally.max_matches + 1
        spent = np.zeros(len(most), np.int64)
        question = 0
        try:
            graph, questions = self.graph, Questions(self.last_rows, self.lows)
            network = PossibleNetwork(
                graph.network, self.judge.variable_of, plan.kinds, self.possible.times, graph.width
            )
            for batch in possible_matches(network, questions, most, plan.confidence):
                question = int(batch.paths.jobs[0]) if len(batch.paths) else batch.question
                paths, confidences, steps = self.possible.likely(batch.paths, batch.confidences)
                spending.spend(np.arange(len(spent)), batch.steps - spent)
                spending.spend(batch.paths.jobs, steps)
                spending.count(paths.jobs)
                spent = batch.steps.copy()
                tally.add(paths.jobs)
                yield paths, {CONFIDENCE: pa.array(confidences)}
                if len(batch.paths):
                    most[tally.unwanted(int(batch.paths.jobs[-1]), in_order=self.in_order)] = 0
                most[spending.given_up(batch.question)] = 0
        except (WorkExhausted, TooManyAtOnce) as refusal:
            if self.possible.budget.limit is None:
                raise
            spending.give_up(question, str(refusal) if isinstance(refusal, TooManyAtOnce) else "")


def possible_graph(judge: BindingJudge, events: pa.Table, owned: Ownership | None, budget: Budget) -> PossibleGraph:
    """The events of a slice as a network without time order, and when each event may happen."""
    plan = judge.plan
    assert isinstance(plan, PossiblePlan)
    graph = event_graph(plan, events, owned)
    low, high = intervals(events, plan.query.schema)
    seq = events.column("seq").to_numpy()
    order = np.argsort(seq, kind="stable")
    rows = order[np.searchsorted(seq, graph.seq, sorter=order)]
    times = times_of(low[rows], high[rows], graph.seq, ordered=bool((plan.kinds != STRICT).any()))
    return PossibleGraph(plan, judge, graph, times, budget)


def possible_answers(possible: PossibleGraph, days: Days) -> PossibleMatches:
    """One answer for each candidate of the days; its matches become certain after it by the delay of the query."""
    graph, times = possible.graph, possible.times
    ts, seq = graph.ts, graph.seq
    # the largest distance between recorded times of one match: the window plus the imprecision at both ends
    apart = graph.width + int((ts - times.low).max(initial=0)) + int((times.high - ts).max(initial=0))
    certain = ts + known_after(possible.plan.query)
    rows = np.flatnonzero(any_state(graph.network.fits) & owned_moments(certain, days))
    rows = rows[np.lexsort((seq[rows], ts[rows]))]
    partition = np.repeat(np.arange(len(graph.offsets) - 1), np.diff(graph.offsets))
    in_order = (np.diff(seq) > 0) | (np.diff(partition) > 0)
    return PossibleMatches(
        judge=possible.judge,
        graph=graph,
        last_rows=rows,
        window_start=None,
        certain=certain[rows],
        waits=np.zeros(len(rows), np.bool_),
        days=days,
        possible=possible,
        lows=first_rows_from(graph.offsets, ts, rows, ts[rows] - apart),
        in_order=bool(in_order.all()),
    )
