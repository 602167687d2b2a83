"""Diagrams, automata and templates against the words of a pattern by definition: every reading, written out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise, permutations, product
from typing import NamedTuple

import pytest
from hypothesis import assume, event, example, given

from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.automata.automaton import automaton_of, one_path_each
from cep_core.language.patterns.automata.binding_sets import avoiding, binding, common, least
from cep_core.language.patterns.automata.determinism import determined
from cep_core.language.patterns.automata.diagram import Diagram
from cep_core.language.patterns.automata.glushkov import diagram_of
from cep_core.language.patterns.automata.passed_negations import Ambiguous, Way, either
from cep_core.language.patterns.automata.template import template_of_pattern
from cep_core.language.patterns.bind.naming import name_variables
from cep_core.language.patterns.text.parsing import parse_pattern
from cep_core.language.patterns.tree import (
    Alternative,
    AnyOf,
    Conjunction,
    Kleene,
    Not,
    Pattern,
    Sequence,
    Unit,
)
from tests.language.strategies import unrolled_patterns

AT = Position(1, 1)
LONGEST = 4
"""Events of the longest words that are compared."""
MOST = 3_000
"""Readings of a pattern that are written out."""


class Word(NamedTuple):
    """The variables of a binding in order, and of each two neighbours whether they are concurrent."""

    variables: tuple[str, ...]
    tied: tuple[bool, ...]


class Reading(NamedTuple):
    """A word, and what is forbidden before it, between its events and after it."""

    variables: tuple[str, ...]
    loose: tuple[bool, ...]
    """Of each two neighbours whether they may be concurrent."""
    passed: tuple[frozenset[Not], ...]


EMPTY = Reading((), (), (frozenset(),))


def readings(pattern: Pattern) -> set[Reading]:
    """All readings of at most LONGEST events, by the meaning of each construct."""
    match pattern:
        case Unit():
            return {Reading((pattern.variable,), (), (frozenset(), frozenset()))}
        case Not():
            return {Reading((), (), (frozenset({pattern}),))}
        case Sequence():
            whole = {EMPTY}
            for element in pattern.elements:
                whole = in_turn(whole, readings(element))
            return whole
        case Alternative():
            return set().union(*(readings(option) for option in pattern.options))
        case Kleene():
            return rounds(pattern)
        case AnyOf():
            orders = permutations([unit.variable for unit in pattern.units], pattern.n)
            nothing = (frozenset[Not](),) * (pattern.n + 1)
            return {Reading(order, (True,) * (pattern.n - 1), nothing) for order in orders if pattern.n <= LONGEST}
        case Conjunction():
            raise AssertionError("no word of its own")


def in_turn(first: set[Reading], second: set[Reading]) -> set[Reading]:
    assume(len(first) * len(second) <= MOST)
    return {
        Reading(
            a.variables + b.variables,
            (*a.loose, *([False] if a.variables and b.variables else []), *b.loose),
            (*a.passed[:-1], a.passed[-1] | b.passed[0], *b.passed[1:]),
        )
        for a, b in product(first, second)
        if len(a.variables) + len(b.variables) <= LONGEST
    }


def rounds(pattern: Kleene) -> set[Reading]:
    body = readings(pattern.body)
    whole, several = set[Reading](), {EMPTY}
    most = pattern.least + LONGEST if pattern.most is None else pattern.most  # further rounds bind nothing new
    for number in range(most + 1):
        if number >= pattern.least:
            whole |= several
        several = in_turn(several, body)
    return whole


def words(readings_: set[Reading]) -> dict[Word, set[tuple[frozenset[Not], ...]]]:
    """By word what its readings forbid, without those that forbid more than another."""
    by_word: dict[Word, set[tuple[frozenset[Not], ...]]] = {}
    for reading in readings_:
        for tied in product(*((False, True) if loose else (False,) for loose in reading.loose)):
            by_word.setdefault(Word(reading.variables, tied), set()).add(reading.passed)
    return {word: fewest(passed) for word, passed in by_word.items() if word.variables}


def fewest(choices: set[tuple[frozenset[Not], ...]]) -> set[tuple[frozenset[Not], ...]]:
    def less(a: tuple[frozenset[Not], ...], b: tuple[frozenset[Not], ...]) -> bool:
        return a != b and all(x <= y for x, y in zip(a, b, strict=True))

    return {passed for passed in choices if not any(less(rival, passed) for rival in choices)}


def paths(diagram: Diagram) -> Iterator[tuple[Word, set[tuple[frozenset[Not], ...]]]]:
    """Every path of at most LONGEST states, with what it forbids by one way or another."""
    negations = diagram.negations

    def bodies(way: Way) -> frozenset[Not]:
        return frozenset(negations[number] for number in way)

    begun = [((state,), (), (ways,)) for state, ways in diagram.start.items()]
    for states, tied, passed in begun:
        last = states[-1]
        if last in diagram.end:
            word = Word(tuple(diagram.variables[state] for state in states), tied)
            places = (*passed, diagram.end[last])
            yield word, {tuple(map(bodies, choice)) for choice in product(*places)}
        if len(states) < LONGEST:
            for after, ways in diagram.successors[last].items():
                edge = last, after
                moments = [True] if edge in diagram.tied else [False, True] if edge in diagram.loose else [False]
                for is_tied in moments:
                    begun.append(((*states, after), (*tied, is_tied), (*passed, ways)))


def spelled(diagram: Diagram, *, once: bool) -> dict[Word, set[tuple[frozenset[Not], ...]]]:
    by_word: dict[Word, set[tuple[frozenset[Not], ...]]] = {}
    for word, passed in paths(diagram):
        assert not once or word not in by_word, word
        by_word.setdefault(word, set()).update(passed)
    return {word: fewest(passed) for word, passed in by_word.items()}


@given(unrolled_patterns())
@example(parse_pattern("SEQ(B, (SEQ(NOT N, A?)){2}, C)"))
@example(parse_pattern("SEQ(B, (SEQ(A?, NOT N)){2,3}, C)"))
def test_paths_of_the_diagram_are_the_readings_of_the_pattern(pattern: Pattern) -> None:
    """All of them: with their words, what they forbid, and which neighbours may be concurrent."""
    named = name_variables(pattern)
    expected = words(readings(named))
    assert spelled(diagram_of(named), once=False) == expected
    of_runs = spelled(diagram_of(named, filled=True), once=False)
    assert of_runs.keys() == expected.keys()
    for word, passed in of_runs.items():
        assert fewest(passed | expected[word]) == expected[word]


@given(unrolled_patterns())
@example(parse_pattern("SEQ(B, (SEQ(NOT N, A?)){2}, C)"))
@example(parse_pattern("SEQ(ANY(2, A a, B b), C c) OR SEQ(A a, B b, C c)"))
@example(parse_pattern("SEQ(C c, ANY(2, A a, B b)) OR SEQ(D d, A a, B b)"))
def test_of_a_determined_diagram_each_binding_is_one_path(pattern: Pattern) -> None:
    """Whether it is determined for matching or made least for counting."""
    named = name_variables(pattern)
    expected = words(readings(named))
    for unambiguous in (lambda drawn: determined(drawn, AT, 4096), lambda drawn: least(drawn, AT)):
        try:
            diagram: Diagram = unambiguous(diagram_of(named))
        except Ambiguous:
            event("ambiguous")
            continue
        assert spelled(diagram, once=True) == expected


@given(unrolled_patterns())
def test_what_depends_on_the_events_is_refused_with_reason(pattern: Pattern) -> None:
    """Where no negation is passed there is nothing to be ambiguous about."""
    named = name_variables(pattern)
    diagram = diagram_of(named)
    assume(not diagram.negations)
    determined(diagram, AT, 4096)


@given(unrolled_patterns(("A", "B")), unrolled_patterns(("A", "B")))
def test_sets_of_bindings(left: Pattern, right: Pattern) -> None:
    """What two have in common, what binds a variable and what does not."""
    sides = [name_variables(left), name_variables(right)]
    try:
        first, second = (least(diagram_of(side), AT) for side in sides)
    except Ambiguous:
        return
    expected = [words(readings(side)) for side in sides]
    shared = {
        word: fewest({joined(a, b) for a, b in product(passed, expected[1][word])})
        for word, passed in expected[0].items()
        if word in expected[1]
    }
    assert spelled(common(first, second, AT), once=True) == shared
    some = frozenset({"A", "B_2"})
    for part, wanted in ((binding(first, some), True), (avoiding(first, some), False)):
        kept = {word: passed for word, passed in expected[0].items() if bool(some & set(word.variables)) is wanted}
        assert spelled(part, once=True) == kept


def joined(a: tuple[frozenset[Not], ...], b: tuple[frozenset[Not], ...]) -> tuple[frozenset[Not], ...]:
    return tuple(x | y for x, y in zip(a, b, strict=True))


@given(unrolled_patterns())
def test_the_template_has_the_neighbours_of_all_words(pattern: Pattern) -> None:
    """Words of LONGEST events hold all neighbours of a pattern of no more units."""
    named = name_variables(pattern)
    template = template_of_pattern(named)
    variables = [word.variables for word in words(readings(named))]
    assert {word[0] for word in variables} <= template.start
    assert {word[-1] for word in variables} <= template.end
    assert {pair for word in variables for pair in pairwise(word)} <= template.edges
    diagram = diagram_of(named)
    assert template.edges == {(diagram.variables[s], diagram.variables[t]) for s, t in diagram.edges}
    assert template.start == {diagram.variables[state] for state in diagram.start}
    assert template.end == {diagram.variables[state] for state in diagram.end}


@given(unrolled_patterns())
def test_the_automaton_is_the_diagram_by_variable(pattern: Pattern) -> None:
    """Renumbered only: in pattern order of variables, preferences kept."""
    named = name_variables(pattern)
    for view, drawn in ((automaton_of, diagram_of(named)), (one_path_each, None)):
        try:
            automaton = view(named)
        except NotSupportedYet:
            continue
        first = [automaton.variables.index(name) for name in automaton.variables]
        assert first == sorted(first)
        if drawn is not None:
            order = sorted(range(len(first)), key=lambda s: (drawn.variables.index(drawn.variables[s]), s))
            assert [[order[t] for t in automaton.successors[s]] for s in range(len(first))] == [
                list(drawn.successors[s]) for s in order
            ]


@pytest.mark.parametrize("draw", [automaton_of, one_path_each, lambda pattern: least(diagram_of(pattern), AT)])
def test_many_choices_between_negations_are_refused_at_once(draw: Callable[[Pattern], object]) -> None:
    """40 choices in turn between two negations can be passed in 2^40 ways."""
    choices = ", ".join(f"(SEQ(NOT E{k}, B?) OR SEQ(NOT F{k}, D?))" for k in range(40))
    with pytest.raises((NotSupportedYet, Ambiguous)):
        draw(name_variables(parse_pattern(f"SEQ(A, {choices}, C)")))


def test_ways_are_joined_by_choice() -> None:
    """A way that passes more than another is none."""
    assert either(frozenset({frozenset({1, 2}), frozenset({3})}), frozenset({frozenset({1})})) == {
        frozenset({1}),
        frozenset({3}),
    }
