"""A query is sliced before its outermost EXISTS projects where that lowers its load by a tenth (F11, issue of S28)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cep_core.language.evaluator import Atom, Reach
from cep_core.language.open_form import OpenForm
from jobs.stages.slicing.planning import Planning
from tests.runs.planning.worlds import planning

OPEN = (Atom("A", (("k", "x"), ("name", "y"))), Atom("B", (("k", "x"),)))


def opening(values: int, visible: tuple[str, ...]) -> Planning:
    """`EXISTS x. A(x, y) AND B(x)`, or without y; x has so many values."""
    n = np.arange(3000)
    events = pa.table(
        {
            "event_type": np.where(n % 3 == 0, "A", "B"),
            "ts": n,
            "k": (n * 7919) % values,
            "name": [f"m{number % 2003}" for number in n],
        }
    )
    closed = tuple(
        Atom(atom.event_type, tuple((name, own) for name, own in atom.variables if own in visible)) for atom in OPEN
    )
    made = planning({"q": closed}, events)
    form = OpenForm(OPEN, {}, visible, ("x",))
    evaluator: Any = SimpleNamespace(atoms=closed, reach=Reach(time=None), opened=form)
    compiled: Any = {"q": SimpleNamespace(evaluator=evaluator)}
    return Planning(made.workload, compiled, made.scope, made.counted)


@pytest.mark.parametrize("visible", [(), ("y",)])
def test_a_hidden_variable_slices(visible: tuple[str, ...]) -> None:
    [plan] = opening(997, visible).plans()
    assert plan.variables == ("x",)
    assert plan.predicted is not None
    assert plan.predicted.maximum_load < 0.3
    assert plan.decisions[-1] == "q is sliced before EXISTS projects"


def test_it_does_not_where_nothing_is_gained() -> None:
    """With one value of x it cannot split anything."""
    [plan] = opening(1, ("y",)).plans()
    assert "x" not in plan.variables
    assert "q is sliced before EXISTS projects" not in plan.decisions
