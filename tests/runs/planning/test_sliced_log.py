"""What strategies of slicing are compared on: a log, or every n-th event of one with too many events."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import write_deltalake

from cep_core.experiments.slicing_rows import compare_strategies
from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing import Plan, make_plan, statistics_of
from jobs.runs.recorded_days import Ledger, LoadedDay
from jobs.runs.scope import Evaluation
from jobs.stages.measuring import sliced_log as module
from jobs.stages.measuring.sliced_log import SlicedLog, sliced_log
from jobs.stages.slicing.event_samples import EventSamples
from jobs.workload.operating_days import OperatingDays

DAYS = (date(1970, 1, 1), date(1970, 1, 2))
CALENDAR = OperatingDays(timedelta())
ATOMS = (Atom("A", (("k", "x"),)), Atom("B", (("k", "x"),)))


def log(events: int) -> pa.Table:
    """Two days of events in order, some of a type that nobody asks for; few values are frequent, many are rare."""
    random = np.random.default_rng(events)
    ts = np.sort(random.integers(0, 2 * 86_400, events))
    return pa.table(
        {
            "day": pa.array(ts // 86_400, pa.int32()).cast(pa.date32()),
            "event_type": random.choice(["A", "B", "C"], events),
            "ts": ts,
            "seq": np.arange(events),
            "k": np.minimum(random.zipf(1.4, events), 1_000),
        }
    )


def asked(lake: Path, events: pa.Table, files: int, most: int) -> SlicedLog:
    """What is asked of a lake whose events lie in so many files, each of them out of order."""
    size = -(-events.num_rows // files)
    for number in range(files):
        part = events.slice(number * size, size)
        mixed = part.take(pa.array(np.random.default_rng(number).permutation(part.num_rows)))
        write_deltalake(lake / "toy" / "events", mixed, partition_by=["day"], mode="append")
    counts = {row["values"]: row["counts"] for row in pc.value_counts(events["day"]).to_pylist()}
    ledger = Ledger({day: LoadedDay("d", events=count) for day, count in counts.items()})
    evaluation = Evaluation("q", DAYS[1], dict.fromkeys(DAYS, "d"), ())
    workload = SimpleNamespace(name="toy", limits=SimpleNamespace(slice_rows=most), operating_days=CALENDAR)
    run: Any = SimpleNamespace(lake=lake, workload=workload, scope=SimpleNamespace(of=lambda name: (evaluation,)))
    plan = plan_for(events)
    samples = EventSamples(lake / "toy" / "events", plan.atoms)
    first, again = (sliced_log(run, ledger, plan, samples) for _ in range(2))
    assert first.events.equals(again.events)
    return first


def plan_for(events: pa.Table) -> Plan:
    return make_plan({"q": ATOMS}, ("x",), statistics_of(events, ATOMS), 4, "seed")


@pytest.mark.parametrize("files", [1, 5])
def test_a_log_that_fits_is_looked_at_whole_else_its_last_days_that_fit(tmp_path: Path, files: int) -> None:
    events = log(2_000)
    relevant = events.filter(pc.is_in(events["event_type"], pa.array(["A", "B"])))
    second = relevant.filter(pc.equal(relevant["day"], pa.scalar(DAYS[1])))
    for number, (most, expected) in enumerate(((2_000, relevant), (1_999, second))):
        whole = asked(tmp_path / str(number), events, files, most)
        assert (whole.every, whole.events["seq"].to_pylist()) == (1, expected["seq"].to_pylist())
        assert whole.interval == CALENDAR.interval(DAYS[1])


@pytest.mark.parametrize("files", [1, 2, 7])
@pytest.mark.parametrize("most", [600, 299, 1])
def test_of_a_day_with_too_many_events_every_nth_is_looked_at(tmp_path: Path, files: int, most: int) -> None:
    """However they lie in files, which are read in several pieces: so the same day gives the same sample."""
    events = log(2_000)
    second = events.filter(pc.equal(events["day"], pa.scalar(DAYS[1])))
    every = -(-second.num_rows // most)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("jobs.stages.slicing.event_pieces.EVENTS_AT_ONCE", 100)
        sampled = asked(tmp_path, events, files, most)
    chosen = second.take(pa.array(range(0, second.num_rows, every)))
    expected = chosen.filter(pc.is_in(chosen["event_type"], pa.array(["A", "B"])))
    assert sampled.every == every > 1
    assert sampled.events["seq"].to_pylist() == expected["seq"].to_pylist()
    assert sampled.reach(Reach(time=5, events=3 * every + 1)) == Reach(time=5, events=4)


def test_loads_of_a_sample_are_those_of_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of events differ by about 1 / sqrt(events of the sample)."""
    monkeypatch.setattr(module, "SAMPLED", 40_000)
    events = log(800_000).set_column(0, "day", pa.repeat(pa.scalar(DAYS[1]), 800_000))
    sampled = asked(tmp_path, events, 1, 500_000)
    assert sampled.every == 20
    plan = plan_for(events)
    of_sample, of_log = (
        {
            (row["strategy"], row["metric"]): row["value"]
            for row in compare_strategies(plan, each, 4, "seed").to_pylist()
            if row["metric"] in ("maximum load", "replication")
        }
        for each in (sampled.events, events)
    )
    assert of_sample.keys() == of_log.keys()
    assert len(of_log) > 8
    for measured, value in of_log.items():
        assert of_sample[measured] == pytest.approx(value, abs=0.015), measured
