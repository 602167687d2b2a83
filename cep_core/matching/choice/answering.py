"""The table of kernels that answer a selection strategy; the evaluator and `explain` both read it."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.facts.compiled import refusals_in
from cep_core.language.totals import Days
from cep_core.matching.arrays.event_graph import EventGraph, event_graph
from cep_core.matching.choice.any_match import any_matches
from cep_core.matching.choice.choices import Choice, chosen
from cep_core.matching.choice.listings import LISTINGS
from cep_core.matching.choice.next_match import forest_matches, side_by_side_matches
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.plan.match_plan import MatchPlan
from cep_core.matching.result.match_answers import CountedAnswers, JudgedAnswers

Answering = Callable[[BindingJudge, EventGraph, Days], CountedAnswers | JudgedAnswers]

ANSWERS: tuple[Choice[Answering], ...] = (
    Choice(
        applies=lambda plan: plan.any_match,
        words=lambda plan: (
            "skip-till-any-match: matches are counted backwards from each last event, without listing them"
        ),
        cost="last events x rows in their windows (log factor or rows again for edges with comparisons)",
        formula="O(m n E), O(m n E log n) or O(m n^2 E)",
        kernel=any_matches,
        example="PATTERN A+ WITHIN 1000",
    ),
    Choice(
        applies=lambda plan: bool(plan.conditions.judged),
        words=lambda plan: (
            f"{plan.query.strategy}: runs side by side, since {len(plan.conditions.judged)} condition(s) "
            "look at all of a run"
        ),
        cost="for each start the events offered in its window, and the run's length for each one judged",
        formula="O(m n L)",
        kernel=side_by_side_matches,
        example="PATTERN A+ a[] WHERE skip_till_next_match { a[i].x > avg(a[..i-1].x) } WITHIN 1000",
    ),
    Choice(
        applies=lambda plan: True,
        words=lambda plan: f"{plan.query.strategy}: all runs are one forest, at most one match for each start event",
        cost="candidates, plus those that fail a comparison before one holds, plus the length of the matches",
        formula="O(m E + k L)",
        kernel=forest_matches,
        example="PATTERN SEQ(A a, B+ b[]) WHERE skip_till_next_match WITHIN 50",
    ),
)

DETECTION = (
    "detection: one pass that keeps the latest beginning of each state, O(1) for each event "
    "and edge (log factor or rows again for edges with comparisons)"
)


def answers_of(judge: BindingJudge, events: pa.Table, owned: Ownership | None) -> CountedAnswers | JudgedAnswers:
    """The owned matches of a slice. Raises NotSupportedYet if the owned matches cannot be told from the others."""
    with refusals_in(judge.query):
        judge.plan.check_owned(owned)
    graph = event_graph(judge.plan, events, owned)
    return chosen(ANSWERS, judge.plan).kernel(judge, graph, None if owned is None else owned.days)


def description(plan: MatchPlan) -> tuple[str, ...]:
    """The kernels of a query and their costs, as `explain` prints them."""
    answer = chosen(ANSWERS, plan)
    lines = [answer.words(plan), f"cost: {answer.cost}"]
    if plan.any_match:
        lines.append(chosen(LISTINGS, plan).words(plan))
        if plan.detects:
            lines.append(DETECTION)
        if plan.counts_ahead:
            lines.append("the number of matches is exact at any size, whatever is listed")
        else:
            lines.append("the number of matches is exact only while the listing is complete; it may be exponential")
    lines += plan.conditions.describe(not plan.any_match)
    lines += [negation.describe(plan.query.strategy) for negation in plan.negations]
    if plan.query.skip is not None:
        lines.append(f"AFTER MATCH SKIP {plan.query.skip}: matches are taken by first event, on whole logs only")
    return tuple(lines)
