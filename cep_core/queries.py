"""Asking a whole log in a notebook: aggregate, match, explain (`docs/language.md` 1 and 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from cep_core.bound_log import SchemaLike, bind_to_log, schema_of, text_of
from cep_core.compile import language_named, parse_text
from cep_core.events.table import order
from cep_core.frames import Frame, Moment, NamedColumns, read_frame
from cep_core.language.bound_query import AGGREGATION, MATCHING
from cep_core.language.budget import Budget
from cep_core.language.evaluator import TOTALS, Evaluator, answered
from cep_core.language.explanation import Explanation
from cep_core.language.patterns.user_aggregates import UserAggregate, user_aggregates
from cep_core.language.settings import Settings
from cep_core.matches.bound_events import VARIABLES
from cep_core.shedding.arrays.costs import Costs


def aggregate(
    query: str | Path,
    events: Frame,
    *,
    ts: str | None = None,
    type: str | None = None,
    seq: str | None = None,
    schema: SchemaLike | None = None,
    unit: str | None = None,
    ties: str = "concurrent",
    exact: bool = False,
    cores: int | None = None,
    progress: bool = False,
) -> Frame:
    """Aggregates over all trends of each group and window.

    `query`: text, or the path of a file. `events`: an Arrow table, a data frame (`cep_core.frames`) or a list of rows;
    the answer is of the same kind. Columns: `event_type`, `ts` (whole numbers in `unit`, or time-stamps), attributes;
    `seq` if the order of rows is not the order of events; `ts`, `type` and `seq` name other columns for these. Moments
    of the answer are time-stamps where those of the log are. Without `schema`, every type has every column, and a type
    that no event has is warned of if one has a name like it. Columns of the result:
    group attributes, `window_start`, `window_end`, then for each item its number, `..._log10` and so on
    (`docs/language.md`, Results); `exact` adds all digits. `cores`: how many to use, all if None; the result is the
    same. `progress` shows how much is done, on a terminal as a bar. Raises QueryError.

    >>> log = pa.table({"event_type": list("ABCAEACDBAB"), "ts": [1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9]})
    >>> aggregate("RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 10", log).column("count").to_pylist()
    [Decimal('43')]
    """
    log = read_frame(events, NamedColumns(ts, type, seq), unit)
    bound, ordered = bind_to_log(query, log, schema, ties)
    bound.refuse_unless(AGGREGATION, "RETURN COUNT(*) aggregates; cep.match lists the matches")
    from cep_core.trends.choice.cores import on_cores  # with the engine: only the one that is used is loaded

    with on_cores(cores):
        rows = _evaluated(bound.evaluator(Settings(exact=exact)), ordered, "counting" if progress else None)
    return cast(Frame, log.back(rows, windows_of_events=bound.windows_of_events))


def match(
    query: str | Path,
    events: Frame,
    *,
    ts: str | None = None,
    type: str | None = None,
    seq: str | None = None,
    schema: SchemaLike | None = None,
    unit: str | None = None,
    ties: str = "concurrent",
    collapsed: bool = False,
    aggregates: Mapping[str, UserAggregate | Callable[[Any], Any]] | None = None,
    work: int | None = None,
    progress: bool = False,
) -> Frame:
    """The matches of a pattern: `first_ts`, `last_ts`, each variable's `seq` or list of `seq`, then the RETURN items.

    Arguments as for `aggregate`; `collapsed` gives one row for each compact result. `aggregates`: your own functions,
    by the names that the query uses (`UserAggregate`). The table's metadata contain `matches_total`. `work`: the most
    steps for work that is not polynomial in the events (`docs/semantics.md` 3). Raises QueryError, and WorkExhausted if
    `work` is too small.

    >>> log = pa.table({"event_type": list("ABBB"), "ts": range(4), "x": [0, 3, 9, 4]})
    >>> widest = "PATTERN SEQ(A a, B+ b[]) WHERE spread(b[].x) > 5 WITHIN 9 RETURN spread(b[].x) AS spread"
    >>> match(widest, log, aggregates={"spread": lambda values: values.max() - values.min()})["spread"].to_pylist()
    [6.0, 6.0]
    """
    log = read_frame(events, NamedColumns(ts, type, seq), unit)
    bound, ordered = bind_to_log(query, log, schema, ties, user_aggregates(aggregates))
    bound.refuse_unless(MATCHING, "cep.aggregate evaluates it")
    evaluator = bound.evaluator(Settings(collapsed=collapsed, budget=Budget(work)))
    rows = _evaluated(evaluator, ordered, "matching" if progress else None)
    bindings = ",".join(variable.name for variable in bound.query.positive)
    rows = rows.replace_schema_metadata({**(rows.schema.metadata or {}), VARIABLES: bindings.encode()})
    return cast(Frame, log.back(rows, windows_of_events=bound.windows_of_events))


def detect(
    query: str | Path,
    events: Frame,
    *,
    ts: str | None = None,
    type: str | None = None,
    seq: str | None = None,
    schema: SchemaLike | None = None,
    unit: str | None = None,
    ties: str = "concurrent",
    work: int | None = None,
) -> Frame:
    """The events that complete a match: `last_ts`, `last_seq`, and with SLIDE `window_start`, `window_end`.

    Arguments as for `match`. For some queries (see `explain`) one pass over the events is enough, and nothing is
    counted or listed; else the cost is that of the compact results. Raises QueryError, WorkExhausted.

    >>> log = pa.table({"event_type": list("CABBCBC"), "ts": range(7)})
    >>> detect("PATTERN SEQ(A a, B+ b[], C c) WITHIN 4", log)["last_ts"].to_pylist()
    [4]
    """
    log = read_frame(events, NamedColumns(ts, type, seq), unit)
    bound, ordered = bind_to_log(query, log, schema, ties)
    bound.refuse_unless(MATCHING, "")
    from cep_core.matching.detecting import completing_events  # with the engine: only the one that is used is loaded

    rows = completing_events(bound.evaluator(Settings(collapsed=True, budget=Budget(work))), ordered)
    return cast(Frame, log.back(rows, windows_of_events=bound.windows_of_events))


def shed(
    queries: Mapping[str, str | Path],
    events: Frame,
    interval: tuple[Moment, Moment],
    *,
    costs: Costs,
    bound: int,
    buffer: int = 0,
    weights: Mapping[str, float] | None = None,
    loads: Sequence[float] = (1.2, 1.4, 1.6, 1.8, 2.0),
    seeds: Sequence[int] = (0, 1, 2),
    ts: str | None = None,
    type: str | None = None,
    seq: str | None = None,
    schema: SchemaLike | None = None,
    unit: str | None = None,
    ties: str = "concurrent",
) -> Frame:
    """The results that an operator too slow for the queries would have missed, under each shedding strategy.

    Events before `interval` (log time, its end excluded; time-stamps or their text where the log has them) train the
    model; events inside it are used for the comparison. `events`, `ts`, `type`, `seq`: as for `aggregate`.
    `costs`, `bound` and `buffer` are virtual nanoseconds (`docs/semantics.md` 7). Columns: `strategy`, `load`,
    `load_over` (the interval), `bound_ns`, `query` (null: all of them), `metric`, `mean`, `deviation` and `n` over
    seeds, `unit`. Raises QueryError, NotSupportedYet for a pattern that is not a chain of event types.

    >>> log = pa.table({"event_type": list("AABB") * 50, "ts": range(200)})
    >>> query = {"ab": "PATTERN SEQ(A a, B b) WITHIN 9"}
    >>> lost = shed(query, log, (100, 200), costs=Costs(((5, 5),)), bound=60, loads=[2])
    >>> sorted(set(lost["strategy"].to_pylist()))[:4]
    ['E-BL', 'PM-BL', 'clairvoyant', 'greedy look-ahead']
    """
    from cep_core.experiments.shedding_rows import compare_shedding, scenario_of, summarise

    if not queries:
        raise ValueError("no query to shed for")
    log = read_frame(events, NamedColumns(ts, type, seq), unit)
    begin, end = (log.number(moment) for moment in interval)
    bound_queries = {}
    for name, query in queries.items():
        text, ordered = bind_to_log(query, log, schema, ties)
        bound_queries[name] = text.query
    scenario = scenario_of(bound_queries, ordered, (begin, end), costs, bound, weights=weights, buffer=buffer)
    return cast(Frame, log.back(summarise(compare_shedding(scenario, loads=loads, seeds=seeds))))


def explain(
    query: str | Path,
    *,
    language: str = "cep",
    schema: SchemaLike | None = None,
    aggregates: Mapping[str, UserAggregate | Callable[[Any], Any]] | None = None,
) -> Explanation:
    """How a query is understood and will be evaluated: as readable text, or as plain data from `to_dict()`.

    `language`: the language of a query given as text; for a file, its suffix tells the language. Without `schema`, the
    attributes and types are those that the query mentions. Raises QueryError for a wrong query. A query that no engine
    can evaluate yet is still explained, with the refusal as its algorithm.
    """
    named = language_named(language)
    written = parse_text(*text_of(query), named if isinstance(query, str) else None)
    declared = written.mentioned if schema is None else schema_of(schema, "s", "concurrent")
    return written.bind(declared, aggregates=user_aggregates(aggregates)).explain()


def _evaluated(evaluator: Evaluator, events: pa.Table, step: str | None) -> pa.Table:
    """The result with its totals as metadata. `step`: the name under which progress is shown; None shows nothing."""
    result = answered(evaluator, events) if step is None else _metered(evaluator, events, step)
    metadata = dict(result.schema.metadata or {})
    if metadata.pop(TOTALS, None) is None:  # by operating day; those of the whole log stand beside them
        return result
    return result.replace_schema_metadata(metadata or None)


def _metered(evaluator: Evaluator, events: pa.Table, step: str) -> pa.Table:
    from cep_core.progress.meter import Meter
    from cep_core.progress.ranges import evaluate

    meter = Meter()
    try:
        return evaluate(evaluator, order(events), lambda done, of: meter.tell(step, done, of))
    finally:
        meter.clear()
