"""The queries of paper 01's examples, and small logs to run them on. An event's attributes are called a, b, c."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing import Cube, Plan, optimize_shares


def atom(event_type: str, *variables: str, **constants: Any) -> Atom:
    """`atom("P", "x", "y")` is P(x, y)."""
    return Atom(event_type, tuple(zip("abc", variables, strict=False)), tuple(constants.items()))


STAR = (atom("P", "x1", "x2"), atom("Q", "x1", "x3"), atom("R", "x1", "x4"))
LINEAR = (atom("P", "x1", "x2"), atom("Q", "x2", "x3"), atom("R", "x3", "x4"))
TRIANGLE = (atom("P", "x1", "x2"), atom("Q", "x2", "x3"), atom("R", "x3", "x1"))


def log(*events: Sequence[Any], types: Sequence[pa.DataType] = (pa.int64(),) * 3) -> pa.Table:
    """A table of events (type, a, b, c), all at successive times; attributes left out are null."""
    rows = [(*event, *[None] * (4 - len(event))) for event in events]
    columns = {name: pa.array([row[index + 1] for row in rows], types[index]) for index, name in enumerate("abc")}
    names = pa.array([row[0] for row in rows], pa.string())
    return pa.table({"event_type": names, "ts": pa.array(range(len(rows)), pa.int64()), **columns})


def modulus_plan(
    atoms: Sequence[Atom], variables: Sequence[str], slices: int, heavy: dict[str, list[int]] | None = None
) -> Plan:
    """A plan over integers with optimal shares and the paper's simplified hash function, the modulus."""
    heavy_values = heavy or {}
    shares = optimize_shares(atoms, variables, slices, heavy=heavy_values)
    cubes = tuple(Cube(group, vector, (None,) * len(variables)) for group, vector in shares.items())
    values = {name: pa.array(values, pa.int64()) for name, values in heavy_values.items()}
    return Plan(("q",), tuple(atoms), tuple(variables), (AttributeType.INT,) * len(variables), cubes, values)


def fixed_plan(atoms: Sequence[Atom], variables: Sequence[str], *shares: int) -> Plan:
    """A plan over integers without heavy values, with the shares given and the modulus."""
    cube = Cube(frozenset(), shares, (None,) * len(shares))
    return Plan(("q",), tuple(atoms), tuple(variables), (AttributeType.INT,) * len(shares), (cube,))
