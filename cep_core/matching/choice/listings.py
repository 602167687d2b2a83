"""Lists counted matches under skip-till-any-match: the table of kernels, and their batches as columns.

Position lists serve SEQ(A a, B+ b[], C c) with conditions on single events, partitioning equivalences, and comparisons
of neighbouring b's. These are the paper's Q1, Q2, Q6 and its measured template. Their rows omit the path, because it
follows from the columns; `match_rows.with_paths` fills it in when rows of several sources must be sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.matching.arrays.network import Ends
from cep_core.matching.choice.choices import Choice
from cep_core.matching.kernels.one_closure import (
    CLOSURE,
    FIRST,
    LAST,
    MOST,
    Batch,
    ClosureEvents,
    list_closures,
    positions,
)
from cep_core.matching.plan.match_plan import MatchPlan
from cep_core.matching.result.last_events import LastEvents
from cep_core.matching.result.match_answers import CountedAnswers
from cep_core.matching.result.match_rows import LAST_SEQ, PATH, no_paths, window_columns

Columns = Iterator[dict[str, pa.Array]]
Listing = Callable[[CountedAnswers, Ends, Ints], Columns | None]
"""The columns of the first most[k] matches of each answer k, in batches; None if there are too many events for it."""


def has_one_closure(plan: MatchPlan) -> bool:
    """Whether a query is SEQ(A, B+, C) and position lists can express all its conditions."""
    automaton, conditions = plan.automaton, plan.conditions
    successors = [set(after) for after in automaton.successors]
    loop = {automaton.variables[CLOSURE]} if len(automaton.variables) == 3 else set()
    return (
        plan.any_match
        and not plan.query.returns
        and len(set(automaton.variables)) == len(automaton.variables) == 3
        and automaton.starts == (FIRST,)
        and automaton.accepts == frozenset({LAST})
        and successors == [{CLOSURE}, {CLOSURE, LAST}, set()]
        and not automaton.negations
        and not (conditions.first or conditions.last or conditions.judged)
        and all({predicate.source, predicate.target} == loop for predicate, _ in conditions.edges)
    )


def by_position_lists(answers: CountedAnswers, ends: Ends, most: Ints) -> Columns | None:
    """Lists matches by position lists; None if a window has too many events of the closure."""
    graph = answers.graph
    lists = positions(graph.network, graph.offsets, graph.seq, ends)
    if lists is None:
        return None
    windows = answers.window_start is not None
    events = ClosureEvents(lists, graph.seq, graph.ts)
    listed = list_closures(graph.network, events, ends, most, jobs=windows, size=answers.batch_size)
    return (_columns(answers, batch) for batch in listed)


def depth_first(answers: CountedAnswers, ends: Ends, most: Ints) -> Columns:
    """Lists matches depth first, as every answer can; serves every query."""
    return CountedAnswers.columns(answers, most)


LISTINGS: tuple[Choice[Listing], ...] = (
    Choice(
        applies=has_one_closure,
        words=lambda plan: (
            f"listing: position lists of {', '.join(plan.automaton.variables)}, chains shared by first events, "
            f"O(length) for each match; depth first over events if a window holds more than {MOST} of "
            f"{plan.automaton.variables[CLOSURE]}"
        ),
        cost="comparisons of all pairs of the closure's events in a window, then the length of each match",
        formula="O(m n^2 + k L)",
        kernel=by_position_lists,
        example="PATTERN SEQ(A a, B+ b[], A c) WHERE b[i].x > b[i-1].x WITHIN 50",
    ),
    Choice(
        applies=lambda plan: True,
        words=lambda plan: "listing: depth first over events that lead to a match, O(length) for each match",
        cost="the counting again, then the length of each match",
        formula="O(m n E + k L)",
        kernel=depth_first,
        example="PATTERN SEQ(A a, B+ b[]) WITHIN 50",
    ),
)


def listed_columns(answers: CountedAnswers, ends: Ends, most: Ints) -> Columns:
    """The columns of the first most[k] matches of each answer k, in batches, by the first kernel that can list them."""
    if not most.any():
        return iter(())
    for choice in LISTINGS:
        if choice.applies(answers.judge.plan):
            columns = choice.kernel(answers, ends, most)
            if columns is not None:
                return columns
    raise AssertionError("the last row of the table serves every query")


def _columns(answers: LastEvents, batch: Batch) -> dict[str, pa.Array]:
    last_ts, last = pa.array(batch.last_ts), pa.array(batch.last)
    starts = None if answers.window_start is None else answers.window_start[batch.jobs]
    query = answers.judge.query
    first, closure, end = (variable.name for variable in query.positive)
    return {
        "first_ts": pa.array(batch.first_ts),
        "last_ts": last_ts,
        **window_columns(starts, query.window.size),
        first: pa.array(batch.first),
        closure: pa.ListArray.from_arrays(pa.array(batch.offsets), pa.array(batch.values)),
        end: last,
        LAST_SEQ: last,
        CERTAIN: last_ts,
        PATH: no_paths(len(last)),
    }
