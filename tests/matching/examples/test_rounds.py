"""Worked examples of closures with bounds: rounds that bind nothing, what they forbid, and too many of them."""

from __future__ import annotations

import pytest

import cep_core as cep
from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.automata.automaton import automaton_of
from cep_core.language.patterns.tree import Kleene, Sequence, Unit
from tests.matching.examples.letters import log


@pytest.mark.parametrize("quantifier", ["{2}", "{2,3}", "*"])
def test_a_round_that_binds_nothing_is_none(quantifier: str) -> None:
    """A run fills the rounds of a bounded closure from the first, whether or not they could be empty."""
    query = f"PATTERN SEQ(A a, (B? b){quantifier}, C c) WHERE strict_contiguity WITHIN 9"
    assert cep.match(query, log("ABBC")).column("b").to_pylist() == [[1, 2]]


@pytest.mark.parametrize("quantifier", ["{2}", "{1,2}", "{0,2}", "{2,}"])
def test_rounds_of_optional_events_are_filled_from_the_first(quantifier: str) -> None:
    """D is a round and B another: a run does not take D for the second one's, which nothing could follow."""
    query = f"PATTERN SEQ(A a, (SEQ(B? b, D? d)){quantifier}, C c) WHERE strict_contiguity WITHIN 9"
    table = cep.match(query, log("ADBC"))
    assert (table.column("b").to_pylist(), table.column("d").to_pylist()) == ([[2]], [[1]])
    for text, matches in (("AC", 1), ("ADDC", 1), ("ABBBC", int(quantifier == "{2,}"))):
        assert cep.match(query, log(text)).num_rows == matches


@pytest.mark.parametrize(
    "inside", ["(SEQ(B b, NOT N n) OR B b)", "(SEQ(NOT N n, B b) OR B b)", "(SEQ(C c, NOT N n, B b) OR SEQ(C c, B b))"]
)
@pytest.mark.parametrize("strategy", ["skip_till_next_match", "strict_contiguity"])
def test_readings_of_which_only_one_forbids_something(inside: str, strategy: str) -> None:
    """A run is one reading: refused, never decided by the branch that it happens to take."""
    with pytest.raises(NotSupportedYet, match="only one forbids"):
        cep.match(f"PATTERN SEQ(A a, {inside}) WHERE {strategy} WITHIN 9", log("ABNC"))
    whole = f"PATTERN SEQ(A a, NOT N n, B b) OR SEQ(A a, B b) WHERE {strategy} WITHIN 9"
    assert cep.match(whole, log("ABNC")).num_rows == 1


FORBIDDING = [("AC", 1), ("ABC", 1), ("ANC", 0), ("ABNC", 0), ("ANBC", 0), ("ABBC", 1), ("ABBNC", 1), ("ABNBC", 0)]


@pytest.mark.parametrize(("text", "matches"), FORBIDDING)
def test_rounds_that_bind_nothing_forbid_what_they_forbid(text: str, matches: int) -> None:
    """NOT lies before each B, and where a required round binds nothing; after two rounds nothing is forbidden."""
    query = "PATTERN SEQ(A a, (SEQ(NOT N n, B? b)){2}, C c) WHERE skip_till_next_match WITHIN 9"
    assert cep.match(query, log(text)).num_rows == matches


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("A{10000} a[]", "unrolls to more than 8,192 states"),
        ("SEQ(A a, (A{100} b[]){1,99})", "unrolls to more than 8,192 states"),
    ],
)
def test_patterns_that_unroll_without_end(pattern: str, said: str) -> None:
    with pytest.raises(NotSupportedYet, match=said) as refused:
        cep.match(f"PATTERN {pattern} WITHIN 9", log("AB"))
    assert (refused.value.line, refused.value.column) == (1, 9)


def test_a_chain_of_optional_parts_without_end() -> None:
    """Refused, not an error of the interpreter's; rounds are no such chain."""
    at = Position(1, 1)
    optional = tuple(Kleene(Unit("A", f"a{number}", at), 0, 1, at) for number in range(5_000))
    with pytest.raises(NotSupportedYet, match="more than 524,288 pairs of events"):
        automaton_of(Sequence(optional, at))
    assert len(automaton_of(Kleene(Unit("A", "a", at), 1, 5_000, at)).variables) == 5_000
