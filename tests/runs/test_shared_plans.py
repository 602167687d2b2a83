"""Which queries share a plan: those whose slicing variables are bound by the same attributes, not by name alone."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing import Plan, make_plan, statistics_of
from jobs.runs.run import Run
from jobs.runs.scope import Evaluation, Scope
from jobs.stages import plan_slices
from jobs.stages.plan_slices import Group, plans_of

DAY = date(2013, 1, 1)
QUERIES = {
    "by_x": (Atom("A", (("k", "x"),)),),
    "also_by_x": (Atom("B", (("k", "x"),)), Atom("A", (("k", "x"),))),
    "by_another_x": (Atom("B", (("name", "x"),)),),
}


def events() -> pa.Table:
    n = np.arange(200)
    kinds = np.where(n % 2, "A", "B")
    return pa.table({"event_type": kinds, "ts": n, "seq": n, "k": n % 17, "name": [f"m{i % 23}" for i in n]})


def test_a_name_alone_joins_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    def plan(run: Run, scope: Scope, group: Group, counted: Any) -> Plan:
        atoms = {name: QUERIES[name] for name in group.queries}
        statistics = statistics_of(events(), [atom for own in atoms.values() for atom in own])
        return make_plan(atoms, group.variables, statistics, 4, "seed")

    class Counts(SimpleNamespace):
        def count(self, spans: object) -> None: ...

    compiled: Any = {
        name: SimpleNamespace(evaluator=SimpleNamespace(atoms=atoms, reach=Reach())) for name, atoms in QUERIES.items()
    }
    nothing: Any = None
    scope = Scope(tuple(Evaluation(name, DAY, {DAY: "1"}, ()) for name in QUERIES))
    run = Run(nothing, compiled, DAY, DAY, "run", nothing, Path(), nothing, scope)
    monkeypatch.setattr(plan_slices, "_plan", plan)
    monkeypatch.setattr(plan_slices, "EventCounts", lambda run: Counts())
    assert [made.queries for made in plans_of(run, scope)] == [("also_by_x", "by_x"), ("by_another_x",)]
