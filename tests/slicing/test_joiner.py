"""The joiner: exactly one slice owns each result (rows S3, S5, S6, S9, S10, S12, S15, S19, S34)."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing import (
    Plan,
    cell_of,
    cut,
    joint_ownership,
    keep_owned,
    ownership,
    owning_slices,
    split,
    union_suffices,
)
from cep_core.slicing.joiner import may_belong
from tests.counts import few
from tests.slicing.laws.conjunctive import Query, evaluate, evaluate_sliced, evaluate_slices_unfiltered
from tests.slicing.laws.random_plans import VALUES, VARIABLES, plans
from tests.slicing.paper import LINEAR, STAR, TRIANGLE, atom, fixed_plan, log, modulus_plan


@given(plans(), st.data())
@settings(deadline=None)
def test_every_valuation_has_one_owner(plan: Plan, data: st.DataObject) -> None:
    """S19: of all slices of a time range exactly one owns a valuation, null or not."""
    size = data.draw(st.integers(1, 5))
    columns = {
        name: pa.array(
            data.draw(st.lists(VALUES[VARIABLES[name]] | st.none(), min_size=size, max_size=size)),
            ARROW_TYPES[VARIABLES[name]],
        )
        for name in plan.variables
    }
    valuations = pa.table({**columns, "other": pa.array(range(size))})
    owners = np.zeros(size, np.int64)
    for number in range(plan.cells):
        owned = ownership(plan, number)
        owners += 1 if owned.owns is None else owned.owns(valuations)
    assert (owners == 1).all()


@given(plans(), st.data())
@settings(deadline=None)
def test_a_part_of_a_valuation_may_belong_where_a_whole_one_does(plan: Plan, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 4))
    drawn = {name: st.lists(VALUES[VARIABLES[name]], min_size=size, max_size=size) for name in plan.variables}
    whole = pa.table({n: pa.array(data.draw(s), ARROW_TYPES[VARIABLES[n]]) for n, s in drawn.items()})
    some = [name for name in plan.variables if data.draw(st.booleans())]
    for number in range(plan.cells):
        owned = ownership(plan, number)
        if owned.owns is not None and some:
            claimed = owned.owns(whole.select(some))
            assert not (owned.owns(whole) & ~claimed).any()


@given(plans(), st.data())
@few(60)
def test_slices_together_own_what_each_of_them_owns(plan: Plan, data: st.DataObject) -> None:
    """Whole valuations, parts of them, and moments: some cells of one time range, or of adjacent ones."""
    drawn = {name: st.lists(VALUES[VARIABLES[name]], min_size=3, max_size=3) for name in plan.variables}
    whole = pa.table({n: pa.array(data.draw(s), ARROW_TYPES[VARIABLES[n]]) for n, s in drawn.items()})
    some = whole.select([name for name in plan.variables if data.draw(st.booleans())])
    cells = data.draw(st.sets(st.integers(0, plan.cells - 1), min_size=1))
    first = data.draw(st.integers(0, max(1, len(plan.ranges)) - 1))
    after = data.draw(st.integers(first + 1, max(1, len(plan.ranges))))
    numbers = [number * plan.cells + cell for number in range(first, after) for cell in cells]
    owned = joint_ownership(plan, numbers)
    apart = [ownership(plan, number) for number in numbers]
    for valuations in (whole, some) if plan.variables else ():
        if valuations.num_columns:
            known = np.ones(3, np.bool_) if owned.owns is None else owned.owns(valuations)
            each = [
                np.ones(3, np.bool_) if ownership.owns is None else ownership.owns(valuations) for ownership in apart
            ]
            assert (known == np.logical_or.reduce(each)).all()
    if plan.ranges:
        assert owned.days == (apart[0].days[0], apart[-1].days[-1])  # type: ignore[index]


def test_only_cells_of_adjacent_ranges_are_owned_together() -> None:
    plan = ranged(4)
    assert joint_ownership(plan, [2, 4], (0, 24, 72)).days == (18, 24, 54)
    for numbers in ([0, 3], [0, 4], [0, 1, 2]):
        with pytest.raises(ValueError, match="adjacent time ranges"):
            joint_ownership(plan, numbers)


def test_a_part_of_a_valuation_belongs_to_one_row_of_cells() -> None:
    plan = modulus_plan((atom("P", "x"), atom("Q", "x", "y")), ("x", "y"), 4, {})
    shares = plan.cubes[0].shares
    part = pa.table({"x": [0, 1, 2, 3]})
    owners = [sum(may_belong(plan, [cell], part)[row] for cell in range(plan.cells)) for row in range(4)]
    assert owners == [plan.cells // shares[0]] * 4


def test_the_filter_is_needed_for_negation_on_a_constant() -> None:
    """S6, Example 1: x = 3 AND NOT P(x) on P(3): the slice without P(3) claims x = 3, and does not own it."""
    plan = fixed_plan((atom("P", "x"),), ("x",), 2)
    events = log(("P", 3))
    verdicts = pa.table({"x": [3]})
    for number in range(2):
        sees = number in split(plan, events)[1]
        claims = verdicts.slice(0, 0) if sees else verdicts
        assert keep_owned(plan, number, claims).num_rows == 0


def test_the_filter_is_needed_where_heavy_values_mix() -> None:
    """S12: P(x), Q(y), NOT R(x, y) with 0 heavy in x: the plain union has false results, the joined one none."""
    query = Query((atom("P", "x"), atom("Q", "y")), (atom("R", "x", "y"),), 10)
    plan = modulus_plan(query.atoms, ("x", "y"), 4, {"x": [0]})
    events = log(
        *(("R", x, y) for x, y in product(range(6), repeat=2)),
        *(("P", x) for x in range(6)),
        *(("Q", y) for y in range(6)),
    )
    events = events.set_column(1, "ts", pa.array([0] * events.num_rows))
    assert not evaluate(query, events)
    assert not evaluate_sliced(query, events, plan)
    assert evaluate_slices_unfiltered(query, events, plan)
    assert not union_suffices(plan, query.atoms, safe=True, compares_with_constant=False)


@pytest.mark.parametrize("atoms", [STAR, LINEAR, TRIANGLE])
def test_plain_union_suffices_for_different_types_without_heavy_values(atoms: tuple[Atom, ...]) -> None:
    """S12, Theorem 3: no type twice, no constant, nothing heavy: filtering changes nothing."""
    variables = sorted({name for atom_ in atoms for _, name in atom_.variables})
    plan = modulus_plan(atoms, variables, 8)
    events = log(*((name, a, b) for name in "PQR" for a, b in product(range(3), repeat=2)))
    query = Query(atoms, (), 30)
    assert union_suffices(plan, atoms, safe=True, compares_with_constant=False)
    assert evaluate_slices_unfiltered(query, events, plan) == set(evaluate(query, events))


@pytest.mark.parametrize(
    ("atoms", "safe", "constant"),
    [(STAR, False, False), (STAR, True, True), ((atom("P", "x1", "x2"), atom("P", "x2", "x1")), True, False)],
)
def test_plain_union_does_not_suffice(atoms: tuple[Atom, ...], safe: bool, constant: bool) -> None:
    """S12: unsafe, a constant compared, or a type named twice."""
    variables = sorted({name for atom_ in atoms for _, name in atom_.variables})
    assert not union_suffices(modulus_plan(atoms, variables, 4), atoms, safe=safe, compares_with_constant=constant)


def test_ownership_travels_to_other_processes() -> None:
    """An `Ownership` is picklable and decides the same there."""
    plan = modulus_plan(TRIANGLE, ("x1", "x2", "x3"), 16)
    valuations = pa.table({"x1": range(50), "x2": range(50), "x3": range(50)})
    owned = pickle.loads(pickle.dumps(ownership(plan, 3)))
    assert owned.owns is not None
    assert (owned.owns(valuations) == (cell_of(plan, valuations) == 3)).all()


def test_valuations_without_a_variable_are_refused() -> None:
    """A missing column is named, never guessed."""
    plan = modulus_plan(TRIANGLE, ("x1", "x2", "x3"), 16)
    with pytest.raises(KeyError, match="x3"):
        cell_of(plan, pa.table({"x1": [1], "x2": [2]}))


def ranged(count: int) -> Plan:
    plan = fixed_plan((atom("P", "x"),), ("x",), 2)
    return Plan(
        plan.queries, plan.atoms, plan.variables, plan.types, plan.cubes, {}, cut((0, 72), count, Reach(time=6))
    )


def test_days_are_cut_to_the_slices_range() -> None:
    """S34: a slice owns, of the days asked for, the part in its range; days keep their boundaries."""
    plan = ranged(4)
    assert plan.slices == 8
    assert ownership(plan, 2, (0, 24, 48, 72)).days == (18, 24, 36)
    assert ownership(plan, 2).days == (18, 36)
    assert ownership(plan, 7, (0, 24, 48, 60)).days == (54, 60)
    assert owning_slices(plan, (48, 72)) == [4, 5, 6, 7]
    with pytest.raises(ValueError, match="no moment"):
        ownership(plan, 0, (48, 72))
    with pytest.raises(ValueError, match="slices 0 to 7"):
        ownership(plan, 8)


def test_moments_of_certainty_are_owned_once() -> None:
    """S34: the ranges of a plan own every moment of its interval exactly once."""
    plan = ranged(5)
    verdicts = pa.table({"x": [1] * 72, "certain": range(72)})
    kept = [keep_owned(plan, number, verdicts)["certain"].to_pylist() for number in range(plan.slices)]
    assert sorted(moment for part in kept for moment in part) == list(range(72))
