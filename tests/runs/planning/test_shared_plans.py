"""Which queries share a plan: those whose slicing variables are bound by the same attributes, whatever their names."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing import ownership
from jobs.stages.slicing.planning import Planning
from tests.runs.planning.worlds import planning

QUERIES = {
    "by_x": (Atom("A", (("k", "x"),)),),
    "also_by_x": (Atom("B", (("k", "x"),)), Atom("A", (("k", "x"),))),
    "by_another_x": (Atom("B", (("name", "x"),)),),
    "by_y": (Atom("A", (("k", "y"),)),),
}


def events(count: int = 200) -> pa.Table:
    n = np.arange(count)
    kinds = np.where(n % 2, "A", "B")
    return pa.table({"event_type": kinds, "ts": n, "seq": n, "k": n % 17, "name": [f"m{i % 23}" for i in n]})


def shared(plans: Planning) -> list[tuple[str, ...]]:
    return [plan.queries for plan in plans.plans()]


def test_attributes_join_queries_and_names_alone_do_not() -> None:
    """`by_y` calls its variable otherwise and shares; `by_another_x` has the name and does not."""
    plans = planning(QUERIES, events()).plans()
    assert [plan.queries for plan in plans] == [("also_by_x", "by_x", "by_y"), ("by_another_x",)]
    [plan, _] = plans
    assert plan.atoms == (Atom("B", (("k", "x"),)), Atom("A", (("k", "x"),)))
    assert (plan.names_of("by_x"), plan.names_of("by_y")) == (("x",), ("y",))


def test_each_query_owns_by_its_own_names() -> None:
    """A valuation belongs to the same slice, whatever the query calls the variable."""
    [plan] = planning({name: QUERIES[name] for name in ("by_x", "by_y")}, events()).plans()
    for number in range(plan.slices):
        owns_x, owns_y = (ownership(plan, number, query=name).owns for name in ("by_x", "by_y"))
        assert owns_x is not None
        assert owns_y is not None
        assert (owns_x(pa.table({"x": range(50)})) == owns_y(pa.table({"y": range(50)}))).all()


def test_an_event_type_that_both_read_must_be_bound_alike() -> None:
    """Two attributes bind the variable of both, but the types change places: nothing is gained by sharing."""
    n = np.arange(400)
    table = pa.table({"event_type": np.where(n % 2, "A", "B"), "ts": n, "k": n % 17, "j": n % 19})
    types = {"k": AttributeType.INT, "j": AttributeType.INT}
    there = (Atom("A", (("k", "x"),)), Atom("B", (("j", "x"),)))
    back = (Atom("A", (("j", "x"),)), Atom("B", (("k", "x"),)))
    assert shared(planning({"there": there, "back": back}, table, types=types)) == [("back",), ("there",)]
    assert shared(planning({"there": there, "again": there}, table, types=types)) == [("again", "there")]


def test_two_variables_are_matched_by_what_binds_them() -> None:
    """Names that are crossed do not cross the slices, and unsliced variables do not count twice."""
    n = np.arange(900)
    table = pa.table({"event_type": ["A"] * 900, "ts": n, "k": n % 101, "j": n % 97})
    types = {"k": AttributeType.INT, "j": AttributeType.INT}
    first, second = (Atom("A", (("k", "x"), ("j", "y"))),), (Atom("A", (("k", "y"), ("j", "x"))),)
    [plan] = planning({"one": first, "other": second}, table, slices=16, types=types).plans()
    assert len(plan.atoms) == 1
    assert dict(zip(plan.names_of("one"), plan.names_of("other"), strict=True)).items() <= {("x", "y"), ("y", "x")}
