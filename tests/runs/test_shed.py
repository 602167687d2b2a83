"""What `compare` measures of shedding on the sample's days: the published numbers, the same bytes, without a JVM."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import write_deltalake

from jobs.lake.session import LateSession
from jobs.runs.ledger import read_ledger
from jobs.runs.run import Run
from jobs.stages.measuring.shed import shed_on
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import Workload, load_workload
from tests.workload.flights_log import flight_log

SAMPLE = Path(__file__).resolve().parents[2] / "workloads" / "nyc_flights"
STORM, LULL = date(2013, 3, 8), date(2013, 3, 10)
LOADED = tuple(date(2013, 3, number) for number in (5, 6, 7, 8, 9, 10))


@pytest.fixture(scope="module")
def workload() -> Workload:
    """The sample at two loads."""
    loaded = load_workload(SAMPLE)
    assert loaded.shedding is not None
    return replace(loaded, shedding=replace(loaded.shedding, loads=(1.2, 1.6), seeds=(0, 1)))


@pytest.fixture(scope="module")
def run(workload: Workload, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of the storm over a lake of six days, the last of which had no event."""
    lake = tmp_path_factory.mktemp("shed")
    events, days = flight_log(), workload.operating_days
    ts = events["ts"].to_numpy()
    written, loaded = [], []
    for day in LOADED:
        begin, end = days.interval(day)
        own = events.filter(pa.array((ts >= begin) & (ts < end) & (day != LULL)))
        written.append(own.append_column("day", pa.repeat(pa.scalar(day), own.num_rows)))
        points = len(np.unique(own["ts"].to_numpy()))
        row = {"day": day, "digest": str(day), "refused": False, "events": own.num_rows, "points": points}
        loaded.append(row)
    write_deltalake(str(lake / "nyc_flights" / "events"), pa.concat_tables(written), partition_by=["day"])
    write_deltalake(str(lake / "nyc_flights" / "_work" / "loaded_days"), pa.Table.from_pylist(loaded))
    return Run(workload, compile_workload(workload), STORM, STORM, "night", LateSession("tests"), lake)


def values(rows: pa.Table, metric: str, **about: object) -> list[float]:
    """The values of a metric, of rows with these parameters."""
    return [
        row["value"]
        for row in rows.filter(pc.equal(rows["metric"], metric)).to_pylist()
        if about.items() <= json.loads(row["parameters"]).items()
    ]


def test_the_storm_has_the_published_matches_and_its_training_is_told(run: Run) -> None:
    """2,214 matches of `city_sweep`; three days of 28 train; dropping partial matches invents no match."""
    training, rows = shed_on(run, read_ledger(run.lake, run.workload.name), STORM)
    assert (training.days, training.asked) == (LOADED[:3], 28)
    training_days = {
        (p["training_days"], p["training_days_asked"]) for p in map(json.loads, rows["parameters"].to_pylist())
    }
    assert training_days == {(3, 28)}
    assert set(values(rows, "query_matches", query="city_sweep")) == {2_214}
    assert set(values(rows, "query_matches", query="doubling")) == {80}
    assert 0 < min(value for value in values(rows, "lost", load=1.6) if value) < 1
    assert set(values(rows.filter(pc.not_equal(rows["strategy"], "E-BL")), "false_positives")) == {0}


def test_the_storm_has_a_difference_to_tell(run: Run) -> None:
    """Most work leads to no match; at 140 % of the busiest hours there is a choice, and who chooses well misses least.

    Settings say over what a load is, in which hours, and what bound was tried.
    """
    workload = run.workload
    assert workload.shedding is not None
    shedding = replace(workload.shedding, loads=(1.4,), seeds=(0, 1, 2), bounds=(1_000_000, 20_000_000))
    asked = replace(run, workload=replace(workload, shedding=shedding))
    _, rows = shed_on(asked, read_ledger(run.lake, workload.name), STORM)
    abouts = [json.loads(text) for text in rows["parameters"].to_pylist()]
    begin, end = workload.operating_days.interval(STORM)
    assert {(a["load_over"], a["bound_ns"]) for a in abouts} == {
        ("day", 1_000_000),
        ("busiest", 1_000_000),
        ("busiest", 20_000_000),
    }
    [(since, until)] = {(a["busiest_from"], a["busiest_to"]) for a in abouts if a["load_over"] == "busiest"}
    assert begin <= since < until == since + 3 * 3600 <= end
    assert {a["busiest_hours"] for a in abouts} == {3}
    lost = {
        name: values(rows.filter(pc.equal(rows["strategy"], name)), "lost", told=True)
        for name in ("clairvoyant", "pSPICE", "PM-BL", "E-BL")
    }
    means = {name: sum(shares) / len(shares) for name, shares in lost.items()}
    assert means["clairvoyant"] == 0 < means["pSPICE"] < means["PM-BL"] / 2 < means["E-BL"]
    assert max(values(rows, "lost", bound_ns=20_000_000)) == 0
    [useless] = set(values(rows, "useless_work"))
    assert 0.9 < useless < 0.92
    assert min(values(rows, "choice", told=True)) > 0.5
    assert set(values(rows, "least_lost")) == {0}


def test_the_same_day_gives_the_same_bytes(run: Run) -> None:
    """Whatever ran before in the process."""
    first, again = (shed_on(run, read_ledger(run.lake, run.workload.name), STORM)[1] for _ in range(2))
    assert first.equals(again)


def test_fewer_days_train_where_the_row_limit_cuts_them(run: Run) -> None:
    """But those that the queries reach are read, however many events they hold."""
    tight = replace(run, workload=replace(run.workload, limits=replace(run.workload.limits, slice_rows=4_500)))
    training, rows = shed_on(tight, read_ledger(tight.lake, tight.workload.name), STORM)
    assert training.days == LOADED[2:3]
    assert set(values(rows, "query_matches", query="city_sweep")) == {2_214}


def test_a_day_without_events_has_an_answer(run: Run) -> None:
    """No match, nothing lost, nobody late; the first day of a lake is trained on itself."""
    training, rows = shed_on(run, read_ledger(run.lake, run.workload.name), LULL)
    assert len(training.days) == 5
    assert rows.num_rows > 0
    for metric in ("matches", "lost", "late_events", "late_time", "dropped"):
        assert set(values(rows, metric)) == {0}
    training, rows = shed_on(run, read_ledger(run.lake, run.workload.name), LOADED[0])
    assert training.days == ()
    assert min(values(rows, "virtual_cost")) > 0
    assert LOADED[0] - timedelta(days=1) not in LOADED
