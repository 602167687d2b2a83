"""A query's result depends on no attribute but those that its evaluator reads."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import HealthCheck, given, reject, settings

from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import of_table
from cep_core.trends.evaluator import TrendEvaluator
from tests.matching.worlds.drawing import worlds
from tests.matching.worlds.world import World
from tests.slicing.laws.only_read import only_read
from tests.trends.random_logs import logs, same
from tests.trends.random_queries import queries

FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "partition_contiguity")


@FEW
@given(queries(), logs())
def test_trends(text: str, log: pa.Table) -> None:
    evaluator = compile_query(text, log_schema_of(log))
    assert isinstance(evaluator, TrendEvaluator)
    assert same(
        evaluator.merge(evaluator.evaluate(only_read(evaluator, log))), evaluator.merge(evaluator.evaluate(log))
    )


@FEW
@given(worlds(STRATEGIES) | worlds(STRATEGIES, negated=True))
def test_matches(world: World) -> None:
    events = order(world.table)
    try:
        evaluator = compile_query(world.text, log_schema_of(events))
        whole = evaluator.merge(of_table(evaluator.evaluate(events)))
    except NotSupportedYet:
        reject()
    assert evaluator.merge(of_table(evaluator.evaluate(only_read(evaluator, events)))).equals(whole)


def test_each_clause_reads_its_attributes() -> None:
    """Keys, groups, conditions, aggregates over a prefix, and RETURN; nothing for a type that is only counted."""
    schema = log_schema_of(
        pa.table({"event_type": ["A", "B", "C"], "ts": [1, 2, 3], **{name: [1, 2, 3] for name in "ghkvwz"}})
    )
    for text, expected in (
        ("RETURN g, COUNT(*), SUM(A.v) PATTERN SEQ(A+, B) GROUP-BY g WITHIN 5", {"A": ("g", "v"), "B": ("g",)}),
        ("RETURN COUNT(*) PATTERN SEQ(A+, NOT C, B) WITHIN 5", {"A": (), "B": (), "C": ()}),
        ("PATTERN SEQ(A a, B b) WHERE a.v < b.w AND a.h = 3 WITHIN 5", {"A": ("h", "v"), "B": ("w",)}),
        ("RETURN b.z PATTERN SEQ(A a, B b) WHERE a.k = b.v WITHIN 5", {"A": ("k",), "B": ("v", "z")}),
        ("PATTERN SEQ(A a, A+ b[]) WHERE avg(b[..i-1].v) < b[i].w WITHIN 5", {"A": ("v", "w")}),
        (
            "PATTERN SEQ(A a, B b) WHERE partition_contiguity { [k] } WITHIN 5",
            {"A": ("k",), "B": ("k",), "C": ("k",)},
        ),
    ):
        assert compile_query(text, schema).reads == expected
