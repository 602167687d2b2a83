"""Laws of binding, and of what the slicer is told: reach and atoms lose no verdict and make none. By the reference."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog
from cep_core.language.errors import Position
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.facts.atoms import atoms_of
from cep_core.language.first_order.facts.reach import certain_after, reach_of
from cep_core.language.first_order.policy import Policy
from cep_core.language.temporal.formulas import (
    And,
    Comparison,
    Eventually,
    Exists,
    Formula,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Since,
    Until,
)
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.terms import Constant, Variable
from cep_core.language.temporal.text.written import WrittenPolicy
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.first_order.reference import satisfactions
from cep_core.testing.formulas import safe_formulas, variable_types
from cep_core.testing.logs import log_of
from cep_core.testing.signatures import drawn_logs, schema_of
from tests.language.first_order.facts.logs_in_part import points_of_reach, with_events, with_points

SCHEMA = schema_of(P="ii", Q="is", R="f")
CLOSED = schema_of(A="", B="")
PAIRS = schema_of(G="ii", D="i", E="ii")


def policy_of(formula: Formula) -> Policy:
    return bind_written(WrittenPolicy(formula, Position(1, 1)), SCHEMA)


def meaning(formula: Formula) -> Policy:
    """A policy that means a formula, safe or not: for facts that follow from the meaning alone."""
    variables = dict.fromkeys(free_variables(formula), PAIRS.types["D"]["i_1"].type)
    schema = PAIRS if variables else CLOSED
    return Policy("", "", schema, Position(1, 1), formula, formula, formula, formula, variables, variables)


@given(safe_formulas(SCHEMA, depth=3, sugar=True, computing=False), drawn_logs(SCHEMA))
def test_binding_keeps_the_meaning(formula: Formula, log: PointLog) -> None:
    policy = policy_of(formula)
    assert tuple(policy.variables) == free_variables(formula)
    types = variable_types(formula)
    assert all(kind is types[name] for name, kind in policy.variables.items())
    order = [free_variables(policy.core).index(name) for name in policy.variables]
    core = {(point, tuple(row[place] for place in order)) for point, row in satisfactions(policy.core, log)}
    assert core == satisfactions(formula, log)


# ---------------------------------------------------------------- reach

_past = st.sampled_from([Interval(0, 1), Interval(1, 3), Interval(2, 2), Interval(0, 4)])
_closed_atoms = st.sampled_from([Predicate("A", (), ()), Predicate("B", (), ())])


def _temporal(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    pairs = [st.builds(kind, _past, parts, parts) for kind in (Since, Until)]
    alone = [st.builds(kind, _past, parts) for kind in (Prev, Next, Once, Eventually)]
    return st.one_of(*pairs, *alone, st.builds(Prev, st.just(ANY_TIME), parts), st.builds(Not, parts))


_nested = _temporal(st.one_of(_closed_atoms, _temporal(st.one_of(_closed_atoms, _temporal(_closed_atoms)))))
_sparse = st.lists(
    st.tuples(st.sampled_from([1, 0, 2, 3, 5]), st.sets(st.sampled_from(["A", "B"]))), min_size=5, max_size=9
)


@given(st.lists(_nested, min_size=4, max_size=4), _sparse)
def test_points_beyond_the_reach_change_no_verdict(formulas: list[Formula], gaps: list[tuple[int, set[str]]]) -> None:
    stamps = [sum(gap for gap, _ in gaps[: place + 1]) for place in range(len(gaps))]
    log = log_of([(stamp, [(name,) for name in names]) for stamp, (_, names) in zip(stamps, gaps, strict=True)], CLOSED)
    for formula in formulas:
        policy = meaning(formula)
        reach, after = reach_of(policy), certain_after(policy)
        assert after is not None
        verdicts = satisfactions(formula, log)
        for point, stamp in enumerate(stamps):
            kept = points_of_reach(log, stamp + after, reach)
            here = kept.tolist().index(point)
            seen = satisfactions(formula, with_points(log, kept))
            assert ((here, ()) in seen) == ((point, ()) in verdicts), formula


# ---------------------------------------------------------------- atoms

_terms = st.sampled_from([Variable("x"), Variable("y"), Variable("z"), Constant(0), Constant(1)])
_tests = st.one_of(
    st.builds(lambda left, right: Predicate("E", (left, right), ("i_1", "i_2")), _terms, _terms),
    st.builds(Comparison, st.just("="), _terms, _terms),
)


def _combined(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.one_of(
        st.builds(And, parts, parts),
        st.builds(Or, parts, parts),
        st.builds(Not, parts),
        st.builds(Once, st.just(ANY_TIME), parts),
        st.builds(Since, st.just(ANY_TIME), parts, parts),
    )


_bodies = _combined(st.one_of(_tests, _combined(st.one_of(_tests, _combined(_tests)))))
_rows = st.lists(
    st.lists(st.sampled_from([(name, *row) for name in ("G", "E") for row in product((0, 1), (0, 1))]), max_size=5),
    min_size=1,
    max_size=3,
)


@given(st.lists(st.tuples(_bodies, st.booleans()), min_size=4, max_size=4), _rows)
def test_events_that_no_atom_matches_change_no_verdict(
    bodies: list[tuple[Formula, bool]], points: list[list[tuple[str, int, int]]]
) -> None:
    # x and z are bound by G, y by D: so whatever the body is, enumerating the values of the log is enough
    log = log_of([(place, [("D", 0), ("D", 1), *events]) for place, events in enumerate(points)], PAIRS)
    guard = Predicate("G", (Variable("x"), Variable("z")), ("i_1", "i_2"))
    for body, negated in bodies:
        some = Exists(("y",), And(Predicate("D", (Variable("y"),), ("i_1",)), body))
        formula = And(guard, Not(some) if negated else some)
        verdicts = satisfactions(formula, log)
        for row in product((0, 1), (0, 1)):
            part = with_events(log, atoms_of(meaning(formula)), dict(zip("xz", row, strict=True)))
            seen = {point for point, satisfied in satisfactions(formula, part) if satisfied == row}
            assert seen == {point for point, satisfied in verdicts if satisfied == row}, formula
