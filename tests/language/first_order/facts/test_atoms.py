"""Atoms of policies: what binds slicing variables (issue of paper 01, section 4)."""

from __future__ import annotations

import pytest

from cep_core.language.evaluator import Atom
from cep_core.language.first_order.facts.atoms import atoms_of
from cep_core.language.first_order.facts.reads import reads_of
from tests.language.first_order.bound_policies import bound


def atom_text(atom: Atom) -> str:
    inside = [f"{name}:{variable}" for name, variable in atom.variables]
    inside += [f"{name}={value!r}" for name, value in atom.constants]
    return f"{atom.event_type}({' '.join(inside)})"


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("R(x, y) AND NOT ONCE R(y, x)", "R(x:x y:y) R(x:y y:x)"),
        ("R(x, x)", "R(x:x y:x)"),
        ("R(x, 3) AND EXISTS y. R(y, x)", "R(x:x y=3) R(y:x)"),
        ("P(x) AND P(x) AND Q(y)", "P(x:x) Q(x:y)"),
        ("EXISTS y. R(x, y) AND y = x", "R(x:x y:x)"),
        ("EXISTS y. (ONCE (P(y) AND y = x)) AND Q(x)", "P(x:x) Q(x:x)"),
        ("P(x) AND NOT EXISTS y, z. R(y, z) AND y = x AND z = 1", "P(x:x) R(x:x y=1)"),
        ("P(x) AND Q(z) AND x = z", "P(x:x) Q(x:x)"),
        ("P(x) AND x = 7 AND NOT Q(x)", "P(x=7) Q(x=7)"),
        ("P(x) AND (x = 7 OR Q(x))", "P(x:x) Q(x:x)"),
        ("Q(x) AND FORALL y. P(y) AND y = x IMPLIES R(y, x)", "Q(x:x) P(x:x) R(x:x y:x)"),
        ("LET A(x) = EXISTS y. R(x, y) AND y = 5 IN A(u) AND P(v) AND NOT A(v)", "R(x:u y=5) P(x:v) R(x:v y=5)"),
        ("s <- SUM y; x R(x, y)", "R(x:x)"),
        ("s <- SUM y; x R(z, y) AND z = x AND P(x)", "R(x:x) P(x:x)"),
        ("s <- CNT y R(x, y) AND x = 2", "R(x=2)"),
        ("NOT EXISTS x. P(x)", "P()"),
        ("Departure(cancelled=1, tail=t)", "Departure(tail:t cancelled=True)"),
        ("Departure(cancelled=2, tail=t)", "Departure(tail:t)"),
        ("Departure(cancelled=c, tail=t, seq=s, ts=u)", "Departure(tail:t)"),
        ("P(x) AND ts(u) AND tp(i)", "P(x:x)"),
        ("O(x) AND O(x, _)", "O/1(a:x) O/2(a:x)"),
        ("x = 5", ""),
    ],
)
def test_atoms(text: str, atoms: str) -> None:
    assert " ".join(map(atom_text, atoms_of(bound(text)))) == atoms


def test_sub_logs_are_made_of_all_types_that_have_the_attribute() -> None:
    policy = bound("-- for each: origin\nDeparture(tail=t) AND NOT PREV Departure(delay=0)")
    assert " ".join(map(atom_text, atoms_of(policy))) == "Departure(origin:origin) Weather(origin:origin)"
    assert reads_of(policy) == {"Departure": ("tail", "origin", "delay"), "Weather": ("origin",)}


def test_what_a_policy_reads() -> None:
    policy = bound("LET L(t) = EXISTS d, s. Departure(tail=t, delay=d, seq=s) AND d > s IN L(x) AND T()")
    assert reads_of(policy) == {"Departure": ("tail", "delay"), "T": ()}
    assert reads_of(bound("Departure(_, o, _, _) AND ts(u)")) == {"Departure": ("origin",)}
