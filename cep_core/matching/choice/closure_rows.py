"""Which queries `one_closure` lists, and its batches as rows of the result.

The shape is SEQ(A a, B+ b[], C c) under skip-till-any-match with conditions on single events, equivalences that
partition, and comparisons of neighbouring b's: the paper's Q1, Q2, Q6 and its measured template. Rows carry no `path`:
their columns say it, and `match_rows.with_paths` fills it in where rows of several sources must be put in order.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.query import Query, Strategy
from cep_core.matching.choice.any_match import AnyMatches
from cep_core.matching.kernels.one_closure import CLOSURE, FIRST, LAST, Batch, list_closures, positions
from cep_core.matching.plan.conditions import Conditions
from cep_core.matching.result.match_rows import LAST_SEQ, PATH, batch_of, partial_schema, result_schema, window_columns


def has_one_closure(query: Query, automaton: Automaton, conditions: Conditions) -> bool:
    """Whether a query is of the shape."""
    successors = [set(after) for after in automaton.successors]
    loop = {automaton.variables[CLOSURE]} if len(automaton.variables) == 3 else set()
    return (
        query.strategy is Strategy.ANY
        and not query.returns
        and len(set(automaton.variables)) == len(automaton.variables) == 3
        and automaton.starts == (FIRST,)
        and automaton.accepts == frozenset({LAST})
        and successors == [{CLOSURE}, {CLOSURE, LAST}, set()]
        and not automaton.negations
        and not (conditions.first or conditions.last or conditions.judged)
        and all({predicate.source, predicate.target} == loop for predicate, _ in conditions.edges)
    )


def closure_rows(query: Query, answers: AnyMatches, most: Ints) -> Iterator[pa.RecordBatch] | None:
    """The rows of the first most[k] matches of each answer k; None where only the general listing will do."""
    graph = answers.graph
    lists = positions(graph.network, graph.offsets, graph.seq, answers.ends)
    if lists is None:
        return None
    windows = answers.window_start is not None
    listed = list_closures(graph.network, lists, graph.seq, graph.ts, answers.ends, most, jobs=windows)
    return (_as_rows(query, answers, batch) for batch in listed)


def _as_rows(query: Query, answers: AnyMatches, batch: Batch) -> pa.RecordBatch:
    last_ts, last = pa.array(batch.last_ts), pa.array(batch.last)
    starts = None if answers.window_start is None else answers.window_start[batch.jobs]
    first, closure, end = (variable.name for variable in query.positive)
    columns = {
        "first_ts": pa.array(batch.first_ts),
        "last_ts": last_ts,
        **window_columns(starts, query.window.size),
        first: pa.array(batch.first),
        closure: pa.ListArray.from_arrays(pa.array(batch.offsets), pa.array(batch.values)),
        end: last,
        LAST_SEQ: last,
        CERTAIN: last_ts,
        PATH: pa.nulls(len(last), pa.list_(pa.int64())),
    }
    return batch_of(columns, partial_schema(result_schema(query, collapsed=False)))
