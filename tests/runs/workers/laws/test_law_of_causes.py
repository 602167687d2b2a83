"""The law of slicing for the causes of first-order policies: proofs in slices are those of one slice."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import of_table
from cep_core.language.settings import Settings
from cep_core.monitoring.shared.why.proof import ProofTree
from cep_core.monitoring.shared.why.proving import ProofMaker
from cep_core.slicing import make_plan, statistics_of
from cep_core.slicing.ranges import BEGINNING
from jobs.stages.evaluating.assignment import QueryText
from jobs.stages.slicing.seen import Seen
from tests.runs.workers.laws.policy_worlds import DAYS, FEW, World, plan_of, worlds
from tests.runs.workers.slicing import all_points, explained, merged


@FEW
@given(worlds(), st.data(), st.integers(1, 12))
def test_large_proofs_are_told_alike_in_any_slices(world: World, data: st.DataObject, most: int) -> None:
    """As far as their parts are small, if a proof may look at few claims."""
    assume(getattr(world.evaluator, "opened", None) is None)  # these count the claims of all slices together
    plan = plan_of(world, data.draw, world.events)
    assignment = world.assignment(plan, (DAYS,), data.draw(st.sampled_from([4, 1000])))
    small_proof = ProofMaker.small_proof

    def proof_of_few(maker: ProofMaker, *claim: Any) -> ProofTree | None:
        return small_proof(maker, *claim[:-1], most)

    with mock.patch.object(ProofMaker, "small_proof", proof_of_few):
        [table] = merged(assignment, plan, world.events, all_points(world.events), world.query.name, "_why")
        assert table.to_pylist() == world.whole(DAYS, "_why").to_pylist()


EQUATED = (
    "P(x) AND NOT (EXISTS z. Q(z, _) AND z = x)",
    "P(x) AND NOT (EXISTS z, w. Q(z, w) AND (ONCE P(w)) AND z = x)",
    "P(x) AND NOT (EXISTS w, z. Q(z, w) AND z = x AND P(w))",
    "P(x) AND NOT (EXISTS z. z = 1 AND Q(z, x))",
    "P(x) AND NOT (EXISTS w. (EXISTS v. Q(w, v) AND v = x) AND P(w))",
    "P(x) AND NOT ONCE (EXISTS z. (EXISTS v. v = z AND Q(z, v)) AND z = x)",
    "P(x) AND (FORALL z. (Q(z, _) AND x = z) IMPLIES (z = 0 AND P(z)))",
    "P(x) AND NOT (EXISTS n, z. (n <- CNT w; z Q(z, w)) AND z = x AND n > 1)",
    "EXISTS y. P(y) AND NOT (EXISTS z. Q(z, x) AND z = y) AND P(x)",
)
"""A name that is bound equals one that is free, or a constant: slices have no other events."""


@FEW
@given(
    st.sampled_from(EQUATED),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from("PPQ"), st.integers(0, 2), st.integers(0, 2)), max_size=9),
    st.integers(1, 4),
    st.text(max_size=1),
)
def test_causes_are_those_of_one_slice_where_bound_names_are_equated(
    formula: str, drawn: list[tuple[int, str, int, int]], slices: int, seed: str
) -> None:
    own = {name: Attribute(name, AttributeType.INT) for name in "ab"}
    schema = LogSchema({"P": {"a": own["a"]}, "Q": own, "Tick": {}})
    rows = [{"event_type": "Tick", "ts": 0}, *({"event_type": k, "ts": ts, "a": a, "b": b} for ts, k, a, b in drawn)]
    fields = {"event_type": pa.string(), **dict.fromkeys(("ts", "a", "b"), pa.int64())}
    log = pa.Table.from_pylist(sorted(rows, key=lambda row: row["ts"]), pa.schema(fields.items()))
    for name in ("seq", "pos"):
        log = log.append_column(name, pa.array(range(log.num_rows)))
    log = log.append_column("offset", pa.array([0] * log.num_rows))
    text = f"-- What is wrong?\n{formula}\n"
    world = World(schema, QueryText("p", "policies/p.mfotl", text, Settings(explained=5)), log)
    atoms = (getattr(world.evaluator, "opened", None) or world.evaluator).atoms
    names = Seen.whole("p", atoms).variables
    plan = make_plan({"p": atoms}, names, statistics_of(log, atoms), slices, seed, world.evaluator.reach)
    assignment = world.assignment(plan, (DAYS,), 1000)
    [table] = merged(assignment, plan, log, all_points(log), "p", "_why")
    assert table.to_pylist() == world.whole(DAYS, "_why").to_pylist()


@FEW
@given(st.data())
def test_the_first_rows_are_explained_from_their_own_events(data: st.DataObject) -> None:
    """Together or, where the events in reach are too many, each by itself; a row with too many has its first claim."""
    schema = LogSchema({name: {"a": Attribute("a", AttributeType.INT)} for name in "PQ"})
    drawn = data.draw(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("PQ"), st.integers(0, 2)), min_size=1))
    rows = [{"event_type": k, "ts": ts, "a": a, "offset": 0} for ts, k, a in sorted(drawn)]
    log = pa.Table.from_pylist(
        rows, pa.schema([("event_type", pa.string()), *((n, pa.int64()) for n in ("ts", "a", "offset"))])
    )
    log = log.append_column("seq", pa.array(range(log.num_rows)))
    text = "-- What is wrong?\nNOT (EXISTS x. P(x) AND ONCE[0,1] Q(x))\n"
    world = World(schema, QueryText("p", "policies/p.mfotl", text, Settings(explained=3)), log)
    [table] = [table for table in world.evaluator.tables if table.suffix == "_why"]
    assert table.explain is not None
    violations = world.evaluator.merge(of_table(world.evaluator.evaluate(log, None, all_points(log))))
    ts = log["ts"].to_numpy()
    alone = {row["ts"]: int(((ts >= row["ts"] - 1) & (ts <= row["ts"])).sum()) for row in violations.to_pylist()}
    most = data.draw(st.integers(0, len(ts)))
    batches = explained(world.evaluator, table, violations, DAYS, BEGINNING, log, all_points(log), most)
    claims = table.merge(batches, DAYS).to_pylist()
    for row in world.whole(DAYS, "_why").to_pylist():
        own = [claim for claim in claims if claim["ts"] == row["ts"]]
        assert row in own if alone[row["ts"]] <= most else [claim["node"] for claim in own] == [0]
