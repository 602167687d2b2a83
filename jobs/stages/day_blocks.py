"""Blocks of days: which operating days of a query's table are evaluated together, and from which moment they read.

A block is the boundaries of consecutive days, in log time. Days are cut where a period of the query's plans begins or
ends, so that one plan is enough for a block. Assumes that the run's scope is known. Cost: linear in its evaluations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from cep_core.language.day_results import DayResult
from cep_core.language.evaluator import ResultTable
from cep_core.slicing import Plan
from jobs.runs.run import Run
from jobs.stages.evaluating.reading import Moments
from jobs.stages.evaluating.results import Result


def blocks_of(
    run: Run, query: str, table: ResultTable, edges: Collection[int], result: Result | None = None
) -> Iterator[Moments]:
    """The boundaries of the days that are evaluated together for a table, by one plan.

    `edges`: where periods of plans begin and end; `result`: the query's, once it is known.
    """
    assert run.scope is not None
    for block in run.scope.blocks(query):
        intervals = [(evaluation.day, *run.workload.operating_days.interval(evaluation.day)) for evaluation in block]
        results = [
            DayResult(begin, end) if result is None else result.of(day, begin, end) for day, begin, end in intervals
        ]
        for days in table.days(results):
            yield from cut_at(edges, (*(day.begin for day in days), days[-1].end))


def edges_of(plans: Sequence[Plan], query: str) -> set[int]:
    """Where the periods of a query's plans begin and end."""
    return {edge for plan in plans if query in plan.queries for edge in plan.period or ()}


def cut_at(edges: Collection[int], days: Moments) -> Iterator[Moments]:
    """The boundaries of consecutive days, cut into blocks at these moments.

    >>> list(cut_at({3, 9}, (1, 2, 3, 4)))
    [(1, 2, 3), (3, 4)]
    """
    places = [0, *(place for place in range(1, len(days) - 1) if days[place] in edges), len(days) - 1]
    return (days[first : last + 1] for first, last in pairwise(places))


def first_moments(run: Run, query: str, blocks: Sequence[Moments]) -> tuple[int, ...]:
    """For each block, the first moment that its first day reads. What lies before is no input of the result."""
    assert run.scope is not None
    calendar = run.workload.operating_days
    first_reads = {evaluation.day: evaluation.first_read for evaluation in run.scope.of(query)}
    return tuple(calendar.interval(first_reads[calendar.day_of(days[0])])[0] for days in blocks)
