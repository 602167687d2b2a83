"""Which class a condition has, and what that class holds for the engines."""

from __future__ import annotations

import pytest

from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.bind.inference import schema_mentioned_by
from cep_core.language.patterns.query import Adjacency, Query
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.text.printing import print_expression


def _bind(pattern: str, where: str) -> Query:
    text = f"PATTERN {pattern} WHERE {where} WITHIN 5"
    return bind(text, schema_mentioned_by(parse(text)))


CLOSURE = "SEQ(A a, B+ b[], C c)"


@pytest.mark.parametrize(
    ("pattern", "where", "source", "target", "adjacency", "first", "last", "separated"),
    [
        ("S+", "S.x > NEXT(S).x", "S", "S", "neighbour", False, False, "S[i-1].x > S.x"),
        ("S+", "NEXT(S).x + 1 < S.x * 2", "S", "S", "neighbour", False, False, "S[i-1].x * 2 > S.x + 1"),
        ("S+", "PREV(S).x <= S.x", "S", "S", "neighbour", False, False, "S[i-1].x <= S.x"),
        (CLOSURE, "b[i].x >= b[i-1].x", "b", "b", "binding", False, False, "b[i-1].x <= b.x"),
        (CLOSURE, "b[i].x = b[i-1].y", "b", "b", "binding", False, False, "b[i-1].y = b.x"),
        (CLOSURE, "b[1].x > a.x", "a", "b", "neighbour", True, False, "a.x < b.x"),
        (CLOSURE, "b[last].x < c.x", "b", "c", "neighbour", False, True, "b.x < c.x"),
        ("SEQ(A a, B b)", "b.x != a.x", "a", "b", "neighbour", False, False, "a.x != b.x"),
        ("SEQ(A a, NOT C c, B b)", "a.x < b.x", "a", "b", "neighbour", False, False, "a.x < b.x"),
        ("SEQ(A a, NOT SEQ(C c, D d), B b)", "c.x < d.x", "c", "d", "neighbour", False, False, "c.x < d.x"),
        ("(SEQ(A a, B b))+", "a.x < NEXT(b).x", "a", "b", "neighbour", False, False, "a.x < b.x"),
        ("(SEQ(A a, B b))+", "b.x < NEXT(a).x", "b", "a", "neighbour", False, False, "b.x < a.x"),
        ("SEQ(A+ a, B+ b)", "a[last].x < b[1].x", "a", "b", "neighbour", True, True, "a.x < b.x"),
        ("SEQ(A a, (SEQ(B b, C c))+)", "a.x < b[1].x", "a", "b", "neighbour", True, False, "a.x < b.x"),
        ("SEQ(A a, B b)", "a.x < b.x OR b.y > 5", "a", "b", "neighbour", False, False, None),
        ("SEQ(A a, B b)", "a.x - b.x > 5", "a", "b", "neighbour", False, False, None),
        ("S+", "S.x > 1 OR NEXT(S).x > S.y", "S", "S", "neighbour", False, False, None),
    ],
)
def test_edge_predicates(
    pattern: str, where: str, source: str, target: str, adjacency: str, first: bool, last: bool, separated: str | None
) -> None:
    """A condition between two neighbours stands on a transition, its sides told apart."""
    query = _bind(pattern, where)
    (edge,) = query.edge_predicates
    assert not query.match_predicates
    assert (edge.source, edge.target, edge.adjacency) == (source, target, Adjacency(adjacency))
    assert (edge.first_only, edge.last_only) == (first, last)
    assert (None if edge.separated is None else print_expression(edge.separated)) == separated


@pytest.mark.parametrize(
    ("pattern", "where"),
    [
        (CLOSURE, "a.x < c.x"),
        (CLOSURE, "a.x < b[i].x"),
        (CLOSURE, "b[i].x < c.x"),
        (CLOSURE, "b[1].x > 5"),
        (CLOSURE, "b[2].x > a.x"),
        (CLOSURE, "b[i].x > b[1].x"),
        (CLOSURE, "a.x + b[i].x < c.x"),
        ("SEQ(A a, B? b, C c)", "a.x < c.x"),
        ("(SEQ(A a, B b))+", "a.x < b.x"),
        ("(SEQ(A+ a, B+ b))+", "a[last].x < b[1].x"),
        ("ANY(A a, B b)", "a.x < b.x"),
        ("SEQ(A a, NOT B b, C c)", "b.x > a.x"),
        ("SEQ(A a, B? b)", "b IS NULL"),
        ("S+", "PREV(S).x < S.x AND NEXT(S).x < S.x OR S.x > 3"),
    ],
)
def test_match_predicates(pattern: str, where: str) -> None:
    """What is not on one event or two certain neighbours is judged on the match."""
    query = _bind(pattern, where)
    assert query.match_predicates
    assert not query.edge_predicates
    assert not query.vertex_predicates


def test_vertex_predicates() -> None:
    """A conjunct on one event; OR inside it stays whole, BETWEEN is two."""
    query = _bind(CLOSURE, "a.x > 1 AND (b[i].x > 2 OR b[i].y < 3) AND c.x BETWEEN 1 AND 5 AND a.y IS NULL")
    assert [(p.variable, print_expression(p.expression)) for p in query.vertex_predicates] == [
        ("a", "a.x > 1"),
        ("b", "b.x > 2 OR b.y < 3"),
        ("c", "c.x >= 1"),
        ("c", "c.x <= 5"),
        ("a", "a.y IS NULL"),
    ]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("c.v > max(b[..i].v)", "true"),
        ("c.v < max(b[..i].v)", "false"),
        ("max(b[].v) > c.v", "false"),
        ("b[i].v > max(b[..i-1].v)", "true"),
        ("c.v < min(b[].v)", "true"),
        ("c.v > min(b[].v)", "false"),
        ("count(b[]) < c.v", "true"),
        ("count(b[]) > 3", "false"),
        ("b[i].v > avg(b[1..i-1].v)", "inconsistent"),
        ("sum(b[].v) = c.v", "inconsistent"),
        ("max(b[].v) = c.v", "inconsistent"),
        ("b[i].v > a.v", "both"),
        ("b[1].v > 5", "inconsistent"),
        ("b[last].v > 2 * avg(b[].v)", "inconsistent"),
    ],
)
def test_consistency_is_paper_04s(where: str, expected: str) -> None:
    """The subset test: what holds of a set of events holds of its subsets (true), fails on them (false), or both."""
    (predicate,) = _bind(CLOSURE, where).match_predicates
    assert predicate.consistency == expected
