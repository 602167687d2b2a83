"""Listed matches as the columns of a result. Linear in the events of the matches."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from cep_core.language.patterns.query import Query
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.judging.quantities import Matches
from cep_core.matching.result.last_events import LastEvents
from cep_core.matching.result.match_rows import PATH, event_column, no_paths, path_column


def match_columns(answers: LastEvents, paths: Paths) -> dict[str, pa.Array]:
    """Every column of partial rows for matches; `Paths.jobs` has the number of each match's answer."""
    graph, judge = answers.graph, answers.judge
    bound = judge.bound(paths)
    first_ts = graph.ts[bound[0].rows if bound[0].one_each else paths.first_rows]
    certain = None if answers.are_certain_at_last else answers.moments(paths.jobs, first_ts)
    columns = {"first_ts": pa.array(first_ts)}
    for variable, events in zip(judge.query.positive, bound, strict=True):
        columns[variable.name] = event_column(events, graph.seq, as_list=variable.kleene)
    last_seq = columns[judge.query.positive[-1].name] if bound[-1].one_each else None
    columns |= answers.last_columns(paths.jobs, certain, last_seq)
    columns |= returned_columns(judge.query, judge.matches(graph, bound, len(paths)))
    if judge.plan.columns_tell_paths:
        return {**columns, PATH: no_paths(len(paths))}
    return {**columns, PATH: path_column(replace(paths, states=answers.path_states(paths.states)), graph.seq)}


def returned_columns(query: Query, matches: Matches) -> dict[str, pa.Array]:
    """The RETURN items of each match."""
    columns = {}
    for item in query.returns:
        assert item.expression is not None
        columns[item.column] = matches.compute(item.expression)
    return columns
