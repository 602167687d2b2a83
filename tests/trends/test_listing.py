"""`cep.aggregate` aggregates exactly the matches that `cep.match` lists (docs/semantics.md 4)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from cep_core.events.schema import Ties
from cep_core.language.errors import NotSupportedYet, QueryError
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query, Strategy
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.trends import reference
from cep_core.trends.evaluator import TrendEvaluator
from tests.counts import few
from tests.trends.random_logs import logs, rows_of, schema_of
from tests.trends.random_queries import queries
from tests.trends.test_definition import rows_from, shown


def listed(query: Query, log: pa.Table) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The aggregates of the matches that the matching engine lists for the query with SLIDE."""
    window = replace(query.window, slide=query.window.slide or query.window.size)
    matching = MatchEvaluator(replace(query, aggregation=False, returns=(), group_by=(), window=window))
    events = rows_of(log)
    by_key: dict[tuple[Any, ...], list[reference.Binding]] = defaultdict(list)
    for row in matching.merge(matching.evaluate(log)).to_pylist():
        binding = []
        for variable in query.positive:
            seqs = row[variable.name]
            binding += [(variable.name, seq) for seq in (seqs if isinstance(seqs, list) else [seqs]) if seq is not None]
        by_key[(*reference.group(query, events, tuple(binding)), row["window_start"])].append(tuple(binding))
    return {
        key: {item.column: reference.value(item, bindings, events) for item in query.returns if item.aggregate}
        for key, bindings in by_key.items()
    }


@pytest.mark.parametrize("strategy", list(Strategy))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(text=queries(), log=logs(), ties=st.sampled_from(list(Ties)))
def test_aggregates_are_those_of_the_listed_matches(strategy: Strategy, text: str, log: pa.Table, ties: Ties) -> None:
    """This holds under every strategy, for each group and window of the same query with SLIDE."""
    text = under(strategy, text)
    try:
        query = bind(text, schema_of(log, ties))
        evaluator, expected = TrendEvaluator(query), listed(query, log)
    except NotSupportedYet:
        reject()
    except QueryError:  # partition contiguity needs a key
        assert strategy is Strategy.PARTITION
        reject()
    assert shown(evaluator.merge(evaluator.evaluate(log)), query) == rows_from(query, expected)


@pytest.mark.parametrize("strategy", [Strategy.STRICT, Strategy.NEXT])
@few(30)  # enough for sums of pairs without what matches of both sides count twice, or without their common scale
@given(log=logs(most=10), pattern=st.sampled_from(["SEQ(A+, B) AND SEQ(A, B+)", "A+ AND SEQ(B, C)", "A+ AND A+"]))
def test_pairs_of_listed_matches(strategy: Strategy, log: pa.Table, pattern: str) -> None:
    """AND pairs the listed matches of both sides: unordered pairs of different matches in a window."""
    items = "COUNT(*), COUNT(A), SUM(A.x), MIN(A.x), AVG(A.y)"
    schema, events = schema_of(log, Ties.CONCURRENT), rows_of(log)

    def bound(part: str, returned: str) -> Query:
        return bind(under(strategy, f"RETURN {returned} PATTERN {part} WITHIN 8 SLIDE 4"), schema)

    query = bound(pattern, items)
    sides = [matches_by_window(bound(part, "COUNT(*)"), log) for part in pattern.split(" AND ")]
    expected = {}
    for start in sides[0].keys() & sides[1].keys():
        pairs = {}
        for left in sides[0][start]:
            for right in sides[1][start]:
                if left != right:
                    renamed = tuple((f"{name}_right", i) for name, i in right)
                    pairs[frozenset({left, right})] = (*left, *renamed)
        if pairs:
            expected[(start,)] = {
                item.column: reference.value(item, list(pairs.values()), events) for item in query.returns
            }
    evaluator = TrendEvaluator(query)
    assert shown(evaluator.merge(evaluator.evaluate(log)), query) == rows_from(query, expected)


def matches_by_window(query: Query, log: pa.Table) -> dict[int, list[reference.Binding]]:
    """The listed matches of each window."""
    matching = MatchEvaluator(replace(query, aggregation=False, returns=()))
    by_window: dict[int, list[reference.Binding]] = defaultdict(list)
    for row in matching.merge(matching.evaluate(log)).to_pylist():
        binding = []
        for variable in query.positive:
            seqs = row[variable.name]
            binding += [(variable.name, seq) for seq in (seqs if isinstance(seqs, list) else [seqs])]
        by_window[row["window_start"]].append(tuple(binding))
    return by_window


def under(strategy: Strategy, text: str) -> str:
    """The text of the query under a strategy."""
    head, _, rest = text.partition(" WHERE ")
    if not rest:
        head, _, rest = text.partition(" WITHIN ")
        return grouped(strategy, text) if "GROUP-BY" in head else f"{head} WHERE {strategy} {{ 1 = 1 }} WITHIN {rest}"
    ends = [place for word in (" GROUP-BY", " WITHIN ") if (place := rest.find(word)) >= 0]
    return f"{head} WHERE {strategy} {{ {rest[: min(ends)]} }} {rest[min(ends) :]}"


def grouped(strategy: Strategy, text: str) -> str:
    """The text of a query without WHERE, under a strategy."""
    head, _, rest = text.partition(" GROUP-BY")
    return f"{head} WHERE {strategy} {{ 1 = 1 }} GROUP-BY{rest}"
