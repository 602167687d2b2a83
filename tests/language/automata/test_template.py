"""Templates, automata and the split into positive and negated parts, as the papers print them."""

from __future__ import annotations

import pytest
from hypothesis import given

from cep_core.language.patterns.automata.template import Template, template_of_pattern
from cep_core.language.patterns.bind.naming import name_variables
from cep_core.language.patterns.explain.nfa import nfa_of
from cep_core.language.patterns.explain.splitting import split
from cep_core.language.patterns.query import Strategy
from cep_core.language.patterns.text.parsing import parse_pattern
from cep_core.language.patterns.tree import Kleene, Pattern, Sequence, Unit
from cep_core.language.patterns.walk import units_of
from tests.language.strategies import positive_patterns


def _template(text: str) -> Template:
    return template_of_pattern(name_variables(parse_pattern(text)))


@pytest.mark.parametrize(
    ("text", "start", "end", "edges"),
    [
        ("A+", "A", "A", ["AA"]),
        ("(A+)+", "A", "A", ["AA"]),
        ("SEQ(A+, B)", "A", "B", ["AA", "AB"]),
        ("(SEQ(A+, B))+", "A", "B", ["AA", "AB", "BA"]),
        ("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+", "A", "B", ["AA", "AB", "BA"]),
        ("SEQ(A*, B)", "AB", "B", ["AA", "AB"]),
        ("SEQ(A?, B, C?)", "AB", "BC", ["AB", "BC"]),
        ("A OR SEQ(B, C)", "AB", "AC", ["BC"]),
        ("ANY(2, A, B)", "AB", "AB", ["AB", "BA"]),
        ("ANY(1, A, B)", "AB", "AB", []),
        ("SEQ(A, NOT B, C)", "A", "C", ["AC"]),
        ("A{2,3}", "A", "A", ["AA"]),
    ],
)
def test_templates(text: str, start: str, end: str, edges: list[str]) -> None:
    """GRETA's Fig. 5 and its likes; an edge exists once."""
    template = _template(text)
    assert template.start == set(start)
    assert template.end == set(end)
    assert template.edges == {(edge[0], edge[1]) for edge in edges}


def test_a_type_that_recurs_has_a_state_for_each_occurrence() -> None:
    """GRETA's Fig. 13: SEQ(A+, B, A, A+, B+)."""
    template = _template("SEQ(A+, B, A, A+, B+)")
    assert template.states == ("A", "B", "A_2", "A_3", "B_2")
    assert template.predecessors("A_3") == ("A_2", "A_3")
    assert template.mid == {"B", "A_2", "A_3"}


@given(positive_patterns())
def test_the_template_has_the_edges_of_algorithm_1(pattern: Pattern) -> None:
    """GRETA, Algorithm 1, word by word: SEQ edges end(Pi) to start(Pi+1), closure edges end to start."""
    named = name_variables(pattern)
    template = template_of_pattern(named)
    edges: set[tuple[str, str]] = set()
    _algorithm_1(named, edges)
    assert template.edges == edges
    assert template.start == {_start(named)}
    assert template.end == {_end(named)}
    assert template.states == tuple(unit.variable for unit in units_of(named))


def _algorithm_1(pattern: Pattern, edges: set[tuple[str, str]]) -> None:
    if isinstance(pattern, Kleene):
        _algorithm_1(pattern.body, edges)
        edges.add((_end(pattern.body), _start(pattern.body)))
    if isinstance(pattern, Sequence):
        for element in pattern.elements:
            _algorithm_1(element, edges)
        for before, following in zip(pattern.elements, pattern.elements[1:], strict=False):
            edges.add((_end(before), _start(following)))


def _start(pattern: Pattern) -> str:
    if isinstance(pattern, Unit):
        return pattern.variable
    return _start(pattern.body if isinstance(pattern, Kleene) else pattern.elements[0])


def _end(pattern: Pattern) -> str:
    if isinstance(pattern, Unit):
        return pattern.variable
    return _end(pattern.body if isinstance(pattern, Kleene) else pattern.elements[-1])


@pytest.mark.parametrize(
    ("text", "zones"),
    [
        ("SEQ(A+, NOT E)", [("A", "")]),
        ("SEQ(NOT E, A+)", [("", "A")]),
        ("SEQ(A, SEQ(B, NOT E), C)", [("B", "C")]),
        ("(SEQ(A, B, NOT E))+", [("B", "A")]),
        ("SEQ(A, B?, NOT E, C?, D)", [("AB", "CD")]),
        ("SEQ(A, NOT B, NOT C, D)", [("A", "D"), ("A", "D")]),
        ("SEQ(A, NOT E) OR B", [("A", "")]),
    ],
)
def test_a_negation_lies_between_its_nearest_present_neighbours(text: str, zones: list[tuple[str, str]]) -> None:
    """Only without a neighbour does the window bound it."""
    parts = split(name_variables(parse_pattern(text)))
    assert [(part.previous, part.following) for part in parts] == [(set(a), set(b)) for a, b in zones]


def test_nfa_of_paper_04() -> None:
    """Fig. 1: l + k + 1 states with begin, take, ignore, proceed; strict contiguity ignores nothing."""
    pattern = name_variables(parse_pattern("seq(ReducerStart a, LoadStd+ b[], ReducerEnd c)"))
    states = nfa_of(pattern, Strategy.ANY)
    assert states is not None
    assert {state.name: state.edges for state in states} == {
        "a": ("begin",),
        "b[1]": ("begin", "ignore"),
        "b[i]": ("take", "ignore", "proceed"),
        "c": ("begin", "ignore"),
        "F": (),
    }
    strict = nfa_of(pattern, Strategy.STRICT)
    assert strict is not None
    assert all("ignore" not in state.edges for state in strict)
    assert nfa_of(parse_pattern("(SEQ(A, B))+"), Strategy.ANY) is None
