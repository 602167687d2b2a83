"""Algorithm 1 over Arrow columns: which slices each event goes to (rows S2, S4, S13, S14, S18-S22, S28)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cep_core.events.table import with_type_codes
from cep_core.language.evaluator import Reach
from cep_core.slicing import Cube, Plan, cell_of, cut, slices_of, split, splitter
from cep_core.slicing.hashing import seed_of
from cep_core.slicing.reference import slices_of_event
from tests.slicing.laws.random_plans import event_tables, plans
from tests.slicing.paper import STAR, TRIANGLE, atom, fixed_plan, log, modulus_plan


def cells_along(plan: Plan, cells: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The coordinates of cells of the cube for valuations that are nowhere heavy."""
    shares = plan.by_heavy[frozenset()].shares
    return [tuple(int(place) for place in np.unravel_index(cell, shares, order="F")) for cell in cells]


def test_example_4_triangle_on_64_slices() -> None:
    """S14: P(0,1) goes to 01*, Q(1,7) to *13 and R(7,0) to 0*3; they meet in 013."""
    plan = modulus_plan(TRIANGLE, ("x1", "x2", "x3"), 64)
    first, second, third = slices_of(plan, log(("P", 0, 1), ("Q", 1, 7), ("R", 7, 0)))
    assert cells_along(plan, first) == [(0, 1, place) for place in range(4)]
    assert cells_along(plan, second) == [(place, 1, 3) for place in range(4)]
    assert cells_along(plan, third) == [(0, place, 3) for place in range(4)]
    assert cells_along(plan, tuple(set(first) & set(second) & set(third))) == [(0, 1, 3)]


def test_example_4_loads() -> None:
    """S14: 3m/p for the star, m/2 on 16 slices and 3m/16 on 64 for the triangle, over all values that hash evenly."""
    for atoms, variables, slices, share in (
        (STAR, ("x1", "x2", "x3", "x4"), 16, 1 / 16),
        (TRIANGLE, ("x1", "x2", "x3"), 16, 1 / 6),
        (TRIANGLE, ("x1", "x2", "x3"), 64, 1 / 16),
    ):
        events = log(*((name, a, b) for name, a, b in product("PQR", range(16), range(16))))
        _, numbers = split(modulus_plan(atoms, variables, slices), events)
        assert np.bincount(numbers).max() == pytest.approx(share * events.num_rows)


def test_example_7_one_type_in_two_atoms() -> None:
    """S21: P(x), P(y) with shares q, q: every event goes to 2q-1 slices, load (2q-1)/q^2; with one variable to all."""
    for q, load in ((2, 3 / 4), (3, 5 / 9), (4, 7 / 16)):
        events = log(*(("P", value) for value in range(20_000)))
        cube = Cube(frozenset(), (q, q), (seed_of("x"), seed_of("y")))
        plan = replace(modulus_plan((atom("P", "x"), atom("P", "y")), ("x", "y"), q * q), cubes=(cube,))
        rows, numbers = split(plan, events)
        assert (np.bincount(rows) == 2 * q - 1).all()
        assert np.bincount(numbers) / events.num_rows == pytest.approx(load, rel=0.05)
        single = fixed_plan((atom("P", "x"), atom("P", "y")), ("x", "y"), q * q, 1)
        assert all(len(targets) == q * q for targets in slices_of(single, events.slice(0, 50)))


def test_example_3_three_of_four_slices() -> None:
    """S11: P(d) reaches all slices but (z, z) with z of the other parity."""
    plan = fixed_plan((atom("P", "x"), atom("P", "y")), ("x", "y"), 2, 2)
    assert [cells_along(plan, targets) for targets in slices_of(plan, log(("P", 4), ("P", 7)))] == [
        [(0, 0), (1, 0), (0, 1)],
        [(1, 0), (0, 1), (1, 1)],
    ]


def test_example_8_heavy_value() -> None:
    """S22: 0 heavy in P's first attribute: only slice 57 gets all three events of the valuation (0, 1, 7)."""
    plan = modulus_plan(TRIANGLE, ("x1", "x2", "x3"), 64, {"x1": [0]})
    first, second, third = slices_of(plan, log(("P", 0, 1), ("Q", 1, 7), ("R", 7, 0)))
    assert first == tuple(range(1, 64, 8))
    assert second == (*range(52, 56), 57)
    assert third == tuple(range(56, 64))
    assert cell_of(plan, pa.table({"x1": [0], "x2": [1], "x3": [7]})).tolist() == [57]


def test_events_without_a_match_go_nowhere() -> None:
    """S4: another type, another constant, disagreeing repeated variables, or a null: no slice."""
    plan = fixed_plan((atom("P", "x", "x"), atom("Q", "x", b=5)), ("x",), 4)
    targets = slices_of(plan, log(("P", 1, 2), ("P", 2, 2), ("P", None, None), ("Q", 3, 5), ("Q", 3, 6), ("R", 1, 1)))
    assert targets == [(), (2,), (), (3,), (), ()]


def test_dictionary_encoded_columns_split_alike() -> None:
    """How Arrow stores a column does not matter."""
    plan = fixed_plan((atom("P", "x"), atom("Q", "x", b=5)), ("x",), 4)
    events = log(("P", 1), ("Q", 3, 5), ("Q", 3, 6))
    encoded = pa.table(
        {
            n: c.dictionary_encode() if n in ("event_type", "a") else c
            for n, c in zip(events.column_names, events.columns, strict=True)
        }
    )
    assert slices_of(plan, encoded) == slices_of(plan, events)


def test_events_without_variables_reach_all_slices() -> None:
    """S28: a 0-ary event is broadcast; a query without variables has one slice."""
    assert slices_of(fixed_plan((atom("P", "x"), atom("Q")), ("x",), 4), log(("Q",))) == [(0, 1, 2, 3)]
    assert slices_of(fixed_plan((atom("P"), atom("Q")), ()), log(("Q",), ("P",))) == [(0,), (0,)]


def test_unused_slices_get_nothing() -> None:
    """S3: with 65 slices allowed the triangle uses 64."""
    plan = modulus_plan(TRIANGLE, ("x1", "x2", "x3"), 65)
    events = log(*((name, a, b) for name, a, b in product("PQR", range(8), range(8))))
    assert plan.slices == 64
    assert set(split(plan, events)[1]) == set(range(64))


def test_time_ranges_read_from_their_reach_up_to_their_end() -> None:
    """S34: a range reads [reads_from, end): an event at its end is the next one's alone."""
    plan = replace(fixed_plan((atom("P"),), ()), ranges=cut((10, 30), 2, Reach(time=3)))
    stamps = [6, 7, 16, 17, 19, 20, 29, 30]
    events = log(*[("P",)] * len(stamps)).set_column(1, "ts", pa.array(stamps))
    assert slices_of(plan, events) == [(), (0,), (0,), (0, 1), (0, 1), (1,), (1,), ()]


@pytest.mark.parametrize("marks", [0, splitter.MARKS])
@given(plans(), event_tables())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_splitting_columns_equals_algorithm_1(
    marks: int, monkeypatch: pytest.MonkeyPatch, plan: Plan, events: pa.Table
) -> None:
    """S20: the vectorised splitter sends every event exactly where Algorithm 1, event by event, sends it.

    So it does whether pairs are sorted or marked, and whether event types are texts or codes.
    """
    monkeypatch.setattr(splitter, "MARKS", marks)
    expected = [(row, k) for row, event in enumerate(events.to_pylist()) for k in sorted(slices_of_event(plan, event))]
    for log_of_events in (events, with_type_codes(events)):
        rows, numbers = split(plan, log_of_events)
        assert list(zip(rows.tolist(), numbers.tolist(), strict=True)) == expected


@given(plans(), event_tables(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_targets_depend_on_the_event_alone(plan: Plan, events: pa.Table, random: Random) -> None:
    """S2: any chunks in any order give the same slices."""
    order = list(range(events.num_rows))
    random.shuffle(order)
    whole = slices_of(plan, events)
    border = random.randint(0, len(order))
    for chunk in (order[:border], order[border:]):
        assert slices_of(plan, events.take(pa.array(chunk, pa.int64()))) == [whole[row] for row in chunk]


@pytest.mark.parametrize("heavy", [{}, {"x": [0]}, {"x": [0], "y": [1, 2], "z": [7]}])
@pytest.mark.parametrize("slices", [4, 12])
def test_targets_are_the_union_over_all_matching_valuations(slices: int, heavy: dict[str, list[int]]) -> None:
    """S5, S19, S20: an event goes to f(v) of every v that it matches; so f(v) gets all events of the atoms of v."""
    atoms = (atom("P", "x", "y"), atom("Q", "y", "z"), atom("R", "z"), atom("P", "z"), atom("S"))
    plan = modulus_plan(atoms, ("x", "y", "z"), slices, heavy)
    domain = [*range(10), *range(100, 100 + slices)]  # heavy values, and light ones of every residue
    valuations = pa.table(dict(zip("xyz", zip(*product(domain, repeat=3), strict=True), strict=True)))
    owner = cell_of(plan, valuations)
    columns = {name: valuations[name].to_numpy() for name in "xyz"}
    for event in (("P", 0, 1), ("P", 3, 2), ("P", 7, 103), ("Q", 1, 7), ("Q", 5, 5), ("R", 7), ("R", 4), ("S",)):
        relevant = np.zeros(len(owner), np.bool_)
        for atom_ in atoms:
            if atom_.event_type == event[0]:
                agrees = [columns[name] == event["abc".index(place) + 1] for place, name in atom_.variables]
                relevant |= np.logical_and.reduce(agrees) if agrees else np.bool_(True)
        assert set(slices_of(plan, log(event))[0]) == set(owner[relevant].tolist())
