"""Random logs, queries and plans for property tests: mixed types, nulls, heavy values, time ranges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain, combinations, pairwise
from math import prod

import pyarrow as pa
from hypothesis import strategies as st

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing import Cube, Plan, TimeRange
from cep_core.testing.choice import chosen

VARIABLES = {"x": AttributeType.FLOAT, "y": AttributeType.STRING, "z": AttributeType.INT}
"""x is bound by an integer and a float attribute, y by a string, z by an integer."""

ATTRIBUTES = {"i": "x", "f": "x", "s": "y", "n": "z"}
VALUES: dict[AttributeType, st.SearchStrategy[object]] = {
    AttributeType.FLOAT: st.sampled_from([0.0, 1.0, -1.0, 2.0, 2.5, -0.0]),
    AttributeType.STRING: st.sampled_from(["", "a", "JFK", "a longer text than eight bytes", "é"]),
    AttributeType.INT: st.sampled_from([0, 1, 2, -7, 10**12]),
}
BOUND = st.lists(st.sampled_from("ifsn"), unique=True, max_size=3)
HEAVY = {kind: st.lists(values, unique=True, min_size=1, max_size=2) for kind, values in VALUES.items()}
SHARES, SEEDS = st.integers(1, 3), st.integers(0, 2**63 - 1)
EDGES = st.lists(st.integers(1, 20), unique=True, max_size=3)


@st.composite
def atoms(draw: st.DrawFn) -> Atom:
    """An atom with some variables, repeated ones and constants included."""
    bound = tuple((name, ATTRIBUTES[name]) for name in draw(BOUND))
    constants: tuple[tuple[str, object], ...] = chosen(draw, [(), (), (), (("n", 1),), (("s", "a"),)])
    return Atom(chosen(draw, "PQR"), bound, constants)


QUERIES = st.lists(atoms(), min_size=1, max_size=3)
COLUMNS = {"i": pa.int64(), "f": pa.float64(), "s": pa.string(), "n": pa.int64()}
EVENT_TYPES, MOMENTS, TENTH = st.sampled_from("PQRS"), st.integers(0, 20), st.integers(0, 9)
OWN = {name: VALUES[VARIABLES[ATTRIBUTES[name]]] for name in COLUMNS} | {"i": st.integers(-1, 2)}


@st.composite
def events(draw: st.DrawFn, **given: object) -> dict[str, object]:
    """One event; attributes not `given` are any value or, sometimes, null."""
    values = {name: draw(OWN[name]) if draw(TENTH) else None for name in COLUMNS if name not in given}
    return {"event_type": draw(EVENT_TYPES), "ts": draw(MOMENTS), **values, **given}


FEW_EVENTS = st.lists(events(), max_size=4)


def table(rows: list[dict[str, object]]) -> pa.Table:
    """Events in time order."""
    rows = sorted(rows, key=lambda row: int(str(row["ts"])))
    columns = {"event_type": pa.string(), "ts": pa.int64(), **COLUMNS}
    return pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in columns.items()})


def event_tables(longest: int = 12) -> st.SearchStrategy[pa.Table]:
    """Any events in time order; nulls and ties occur."""
    return st.lists(events(), max_size=longest).map(table)


@st.composite
def logs_with_results(draw: st.DrawFn, query: Sequence[Atom], width: int) -> pa.Table:
    """Events among which some valuations match all atoms of a query within its width, and others that match nothing.

    Each valuation takes its values from few, so that they share some.
    """
    rows = draw(FEW_EVENTS)
    for _ in range(draw(st.integers(1, 4))):
        values = {name: draw(VALUES[kind]) for name, kind in VARIABLES.items()}
        moment = draw(st.integers(0, 20))
        for atom_ in query:
            own = {**{attribute: values[name] for attribute, name in atom_.variables}, **dict(atom_.constants)}
            own |= {"i": int(float(str(own["i"])))} if "i" in own else {}
            earlier = draw(st.integers(0, width)) if rows else 0
            rows.append(draw(events(event_type=atom_.event_type, ts=max(0, moment - earlier), **own)))
    return table(rows)


@cache
def _some_of(variables: tuple[str, ...]) -> st.SearchStrategy[set[str]]:
    return st.sets(st.sampled_from(variables))


@cache
def _orders(variables: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.permutations(variables)


@st.composite
def plans(draw: st.DrawFn, query: tuple[Atom, ...] | None = None, reach: int | None = None) -> Plan:
    """Any plan: shares, seeds and heavy values need not fit any statistics.

    With a `reach` the ranges cut [0, 21) and read back that far; without, they read back differently far.
    """
    own = query if query is not None else tuple(draw(QUERIES))
    bound = {name for atom_ in own for _, name in atom_.variables}
    variables = tuple(draw(_orders(tuple(name for name in VARIABLES if name in bound))))
    heavy = {}
    for name in draw(_some_of(variables)) if variables else ():
        values = draw(HEAVY[VARIABLES[name]])
        heavy[name] = pa.array(values, ARROW_TYPES[VARIABLES[name]])
    groups = chain.from_iterable(combinations(sorted(heavy), size) for size in range(len(heavy) + 1))
    cubes = []
    for group in groups:
        shares = tuple(1 if name in group else draw(SHARES) for name in variables)
        cubes.append(Cube(frozenset(group), shares, tuple(draw(SEEDS) for _ in variables)))
    assert all(prod(cube.shares) <= 27 for cube in cubes)
    edges = draw(EDGES)
    pieces = pairwise([0, *sorted(edges), 21])
    back = reach if reach is not None else draw(st.integers(0, 8))
    ranges = tuple(TimeRange(low, high, low - back) for low, high in pieces) if draw(st.booleans()) else ()
    return Plan(("q",), own, variables, tuple(VARIABLES[name] for name in variables), tuple(cubes), heavy, ranges)
