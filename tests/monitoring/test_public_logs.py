"""Policies over the pods of a cluster and the trips of taxis, against plain loops, and in slices as in one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pytest

import cep_core as cep
from cep_core.compile import bind_text
from cep_core.events.logs.time_points import with_points
from cep_core.events.table import log_schema_of, order
from cep_core.language.evaluator import CERTAIN, of_table
from cep_core.language.open_form import PIECES
from cep_core.language.settings import Settings
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.slicing import make_plan, ownership, split, statistics_of
from cep_core.testing.unsliced import unsliced

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
"""Logs that may not be given on: the tests run where they are."""
PODS, TRIPS = DATA / "alibaba_gpu_2023/openb_pod_list_default.csv.gz", DATA / "taxi_debs2015/taxi_trips_10k.csv.gz"
Row = tuple[object, ...]

LATE = "Created(pod=p) AND NOT EVENTUALLY[0,60] Scheduled(pod=p)"
UNSCHEDULED = "Deleted(pod=p, qos=q) AND NOT ONCE Scheduled(pod=p)"
CROWDED = "(n <- CNT p; q ONCE[0,3600] Created(pod=p, qos=q)) AND n >= 40 AND (EXISTS p. Created(pod=p, qos=q))"
OF_PODS = [LATE, UNSCHEDULED, CROWDED, f"EXISTS p. {UNSCHEDULED}"]
OVERLAPPING = "PickedUp(taxi=t) AND ((NOT DroppedOff(taxi=t)) SINCE[1,*) PickedUp(taxi=t))"
CHANGED = "PickedUp(taxi=t, driver=d) AND (ONCE[0,30m] DroppedOff(taxi=u, driver=d)) AND NOT t = u"
OF_TAXIS = [OVERLAPPING, CHANGED, f"EXISTS t, u. {CHANGED}"]


def log_of(parts: Iterable[tuple[str, pa.Table, str, list[str]]]) -> pa.Table:
    """Events by type: the rows of a table that have a time in a column, with some of its columns."""
    tables = []
    for event_type, rows, moment, names in parts:
        rows = rows.filter(pc.is_valid(rows[moment]))
        own = {name: rows[name] for name in names}
        tables.append(pa.table({"event_type": [event_type] * len(rows), "ts": rows[moment].cast(pa.int64()), **own}))
    log = pa.concat_tables(tables, promote_options="default")
    return order(log.take(pc.sort_indices(log, [("ts", "ascending")])))


@pytest.fixture(scope="module")
def pods() -> pa.Table:
    if not PODS.is_file():
        pytest.skip("the pods of the cluster are not here")
    rows = pyarrow.csv.read_csv(PODS).rename_columns({"name": "pod"})
    moments = {"Created": "creation_time", "Scheduled": "scheduled_time", "Deleted": "deletion_time"}
    return log_of((kind, rows, column, ["pod", "qos"]) for kind, column in moments.items())


@pytest.fixture(scope="module")
def trips() -> pa.Table:
    if not TRIPS.is_file():
        pytest.skip("the trips of the taxis are not here")
    rows = pyarrow.csv.read_csv(TRIPS)
    for column in ("pickup_datetime", "dropoff_datetime"):
        rows = rows.set_column(rows.column_names.index(column), column, rows[column].cast(pa.timestamp("s")))
    moments = {"PickedUp": "pickup_datetime", "DroppedOff": "dropoff_datetime"}
    return log_of((kind, rows, column, ["taxi", "driver"]) for kind, column in moments.items())


def violations(policy: str, log: pa.Table) -> set[Row]:
    """(ts, values) of each violation; equal events of one second are one."""
    table = cep.monitor(policy, None, log, end="closed")
    assert isinstance(table, pa.Table)
    return {tuple(value for name, value in row.items() if name != "tp") for row in table.to_pylist()}


def times_of(log: pa.Table, key: str) -> dict[tuple[str, object], list[int]]:
    """The times of the events of each type and value."""
    times: dict[tuple[str, object], list[int]] = defaultdict(list)
    for row in log.to_pylist():
        times[row["event_type"], row[key]].append(row["ts"])
    return times


def test_pods_by_plain_loops(pods: pa.Table) -> None:
    at, rows = times_of(pods, "pod"), pods.to_pylist()
    created, deleted = ([row for row in rows if row["event_type"] == kind] for kind in ("Created", "Deleted"))
    late = {
        (row["ts"], row["pod"])
        for row in created
        if not any(0 <= ts - row["ts"] <= 60 for ts in at["Scheduled", row["pod"]])
    }
    unscheduled = {
        (row["ts"], row["pod"], row["qos"])
        for row in deleted
        if not any(ts <= row["ts"] for ts in at["Scheduled", row["pod"]])
    }
    crowded, by_qos = set(), times_of(pods, "qos")  # each pod is created once
    for row in created:
        times = by_qos["Created", row["qos"]]
        near = bisect_right(times, row["ts"]) - bisect_left(times, row["ts"] - 3600)
        if near >= 40:
            crowded.add((row["ts"], near, row["qos"]))
    assert all((late, unscheduled, crowded))
    assert violations(LATE, pods) == late
    assert violations(UNSCHEDULED, pods) == unscheduled
    assert violations(CROWDED, pods) == crowded


def test_taxis_by_plain_loops(trips: pa.Table) -> None:
    rows = trips.to_pylist()
    ended, picked = times_of(trips, "taxi"), [row for row in rows if row["event_type"] == "PickedUp"]
    overlapping = set()
    for row in picked:
        before = [ts for ts in ended["PickedUp", row["taxi"]] if ts < row["ts"]]
        if before and not any(before[-1] < ts <= row["ts"] for ts in ended["DroppedOff", row["taxi"]]):
            overlapping.add((row["ts"], row["taxi"]))
    by_driver = defaultdict(list)
    for row in picked:
        by_driver[row["driver"]].append(row)
    changed = {
        (row["ts"], row["taxi"], row["driver"], own["taxi"])
        for own in rows
        if own["event_type"] == "DroppedOff"
        for row in by_driver[own["driver"]]
        if row["taxi"] != own["taxi"] and 0 <= row["ts"] - own["ts"] <= 1800
    }
    assert all((overlapping, changed))
    assert violations(OVERLAPPING, trips) == overlapping
    assert violations(CHANGED, trips) == changed


@pytest.mark.parametrize("policy", OF_PODS)
def test_pods_in_slices(policy: str, pods: pa.Table) -> None:
    assert_same_in_slices(policy, pods)


@pytest.mark.parametrize("policy", OF_TAXIS)
def test_taxis_in_slices(policy: str, trips: pa.Table) -> None:
    assert_same_in_slices(policy, trips)


def assert_same_in_slices(policy: str, log: pa.Table) -> None:
    """Four slices give the tables of one, causes too; before EXISTS projects where that may be."""
    log, points = with_points(log)
    bound = bind_text(f"-- What is wrong?\n{policy}", log_schema_of(log), "p.mfotl")
    evaluator = bound.evaluator(Settings(max_violations=1000, explained=5))
    assert isinstance(evaluator, PolicyEvaluator)
    opened = evaluator.opened
    atoms = (opened or evaluator).atoms
    names = sorted({name for atom in atoms for _, name in atom.variables})
    plan = make_plan({"p": atoms}, names, statistics_of(log, atoms), 4, "seed")
    rows, owner = split(plan, log)
    slices = [(log.take(pa.array(np.sort(rows[owner == n]))), ownership(plan, n)) for n in range(plan.slices)]
    assert all(part.num_rows < log.num_rows for part, _ in slices)
    partials = [batch for part, own in slices for batch in evaluator.evaluate(part, own, points)]
    if opened is not None:
        pieces = [batch.replace_schema_metadata(None) for batch in of_table(partials, PIECES)]
        partials += evaluator.gather(pieces, None, points)
    violations = evaluator.merge(of_table(partials)).drop_columns([CERTAIN])
    [explain] = [table.explain for table in evaluator.tables if table.explain is not None]
    for part, own in slices:
        assert own.owns is not None
        first = violations.slice(0, 5)
        partials += explain(first.filter(pa.array(own.owns(first))), part, points, own)
    for table in evaluator.tables:
        whole = unsliced(evaluator, log, points, suffix=table.suffix)
        assert table.merge(of_table(partials, table.suffix)).to_pylist() == whole.to_pylist()
        assert whole.num_rows
