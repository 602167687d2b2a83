"""Random logs, queries and plans for property tests: mixed types, nulls, heavy values, time ranges."""

from __future__ import annotations

from itertools import chain, combinations, pairwise
from math import prod

import pyarrow as pa
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing import Cube, Plan, TimeRange
from cep_core.slicing.hashing import ARROW_TYPES

VARIABLES = {"x": AttributeType.FLOAT, "y": AttributeType.STRING, "z": AttributeType.INT}
"""x is bound by an integer and a float attribute, y by a string, z by an integer."""

ATTRIBUTES = {"i": "x", "f": "x", "s": "y", "n": "z"}
VALUES: dict[AttributeType, st.SearchStrategy[object]] = {
    AttributeType.FLOAT: st.sampled_from([0.0, 1.0, -1.0, 2.0, 2.5, -0.0]),
    AttributeType.STRING: st.sampled_from(["", "a", "JFK", "a longer text than eight bytes", "é"]),
    AttributeType.INT: st.sampled_from([0, 1, 2, -7, 10**12]),
}


@st.composite
def atoms(draw: st.DrawFn) -> Atom:
    """An atom with some variables, repeated ones and constants included."""
    chosen = draw(st.lists(st.sampled_from("ifsn"), unique=True, max_size=3))
    bound = tuple((name, ATTRIBUTES[name]) for name in chosen)
    constants = draw(st.sampled_from([(), (), (), (("n", 1),), (("s", "a"),)]))
    return Atom(draw(st.sampled_from("PQR")), bound, constants)


@st.composite
def event_tables(draw: st.DrawFn, longest: int = 12) -> pa.Table:
    """Events in time order; nulls and ties occur."""
    size = draw(st.integers(0, longest))

    def column(values: st.SearchStrategy[object]) -> list[object]:
        return draw(st.lists(values | st.none(), min_size=size, max_size=size))

    stamps = sorted(draw(st.lists(st.integers(0, 20), min_size=size, max_size=size)))
    return pa.table(
        {
            "event_type": pa.array(draw(st.lists(st.sampled_from("PQRS"), min_size=size, max_size=size)), pa.string()),
            "ts": pa.array(stamps, pa.int64()),
            "seq": pa.array(range(size), pa.int64()),
            "i": pa.array(column(st.integers(-1, 2)), pa.int64()),
            "f": pa.array(column(VALUES[AttributeType.FLOAT]), pa.float64()),
            "s": pa.array(column(VALUES[AttributeType.STRING]), pa.string()),
            "n": pa.array(column(VALUES[AttributeType.INT]), pa.int64()),
        }
    )


@st.composite
def plans(draw: st.DrawFn, query: tuple[Atom, ...] | None = None, reach: int | None = None) -> Plan:
    """Any plan: shares, seeds and heavy values need not fit any statistics.

    With a `reach` the ranges cut [0, 21) and read back that far; without, they read back differently far.
    """
    own = query if query is not None else tuple(draw(st.lists(atoms(), min_size=1, max_size=3)))
    bound = {name for one in own for _, name in one.variables}
    variables = tuple(draw(st.permutations([name for name in VARIABLES if name in bound])))
    heavy = {}
    for name in draw(st.sets(st.sampled_from(variables))) if variables else ():
        values = draw(st.lists(VALUES[VARIABLES[name]], unique=True, min_size=1, max_size=2))
        heavy[name] = pa.array(values, ARROW_TYPES[VARIABLES[name]])
    groups = chain.from_iterable(combinations(sorted(heavy), size) for size in range(len(heavy) + 1))
    share = st.integers(1, 3)
    seed = st.integers(0, 2**63 - 1)
    cubes = []
    for group in groups:
        shares = tuple(1 if name in group else draw(share) for name in variables)
        cubes.append(Cube(frozenset(group), shares, tuple(draw(seed) for _ in variables)))
    assert all(prod(cube.shares) <= 27 for cube in cubes)
    edges = draw(st.lists(st.integers(1, 20), unique=True, max_size=3))
    pieces = pairwise([0, *sorted(edges), 21])
    back = reach if reach is not None else draw(st.integers(0, 8))
    ranges = tuple(TimeRange(low, high, low - back) for low, high in pieces) if draw(st.booleans()) else ()
    return Plan(("q",), own, variables, tuple(VARIABLES[name] for name in variables), tuple(cubes), heavy, ranges)
