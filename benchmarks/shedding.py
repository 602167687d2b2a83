"""Load shedding, measured in one run: `python benchmarks/shedding.py [FOLDER]`.

It measures three things: the utility table of a window of 32,000 events at bin 1 (14 states); meetings of events and
partial matches per second, without and with shedding, and their memory; and a night of X1 (`contagion`) and X2
(`destination_collapse`) on 8 March 2013, at five loads under every strategy. FOLDER holds flights.csv.gz
(`scripts/make_nyc_flights_bundle.py`); by default it is the workload's own bundle, whose days before 8 March train.
Times are CPU-seconds of one core, of a second run after the kernels are compiled. No assertion on time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.events.table import order
from cep_core.experiments.shedding_rows import LOADS, compare_shedding, scenario_of
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query, Strategy
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.stream import Offered, stream_of
from cep_core.shedding.machine import Machine, Start
from cep_core.shedding.model.chain import completion_and_time
from cep_core.shedding.operator_run import OperatorRun
from cep_core.shedding.replaying import Experiment, Scenario
from cep_core.shedding.shedders.pspice import PSpice

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[1]
WORKLOAD = ROOT / "workloads" / "nyc_flights"
QUERIES = ("contagion", "destination_collapse")
FLIGHT = ("flight", "carrier", "origin", "dest")


def cpu(run: Callable[[], T]) -> tuple[T, float]:
    """The answer, and the process time of a second run."""
    run()
    begin = time.process_time()
    answer = run()
    return answer, max(time.process_time() - begin, 1e-9)


def utility_table() -> None:
    states = 14
    chain = np.diag([0.98] * (states - 1) + [1.0])
    chain[range(states - 1), range(1, states)] = 0.02
    rewards = np.full((states, states), 100.0)
    print("utility table, 14 states, bin 1")
    for left in (6_000, 10_000, 16_000, 18_000, 24_000, 32_000):
        _, spent = cpu(lambda left=left: completion_and_time(chain, rewards, left, 1))
        print(f"{left:>8} events left {1000 * spent:>8.1f} ms")


def meetings(leading: int) -> None:
    """pSPICE's Q1: ten of 500 symbols in sequence, with a window of 5,000 events for each event of a leading symbol."""
    count, size = 400_000, 5_000
    rng = np.random.default_rng(5)
    symbol = rng.integers(0, 500, count)
    fits = symbol[:, None] == np.arange(10)[None, :]
    opening = symbol < leading
    machine = Machine(10, Strategy.NEXT, Start.ONCE)
    pattern = Offered("Q1", machine, WindowSpec(size, events=True), fits, opening=opening)
    costs = Costs(((100,) * 10,), event=500, lookup=2, sort=1, drop=10)
    ts = np.arange(count)
    stream = stream_of([pattern], ts, costs)

    def unshed() -> OperatorRun:
        run = OperatorRun(stream, np.zeros(count, np.int64))
        run.advance(count)
        return run

    run, spent = cpu(unshed)
    print(f"\nQ1, {leading} leading symbols: {run.met / count:.0f} partial matches an event")
    print(f"without shedding {run.met / spent / 1e9:>8.2f} G/s, {count / spent / 1e6:.1f} M events/s")
    experiment = Experiment(
        Scenario([pattern], ts, count // 2, count, costs, np.zeros(count, np.int64), 2_500_000 * leading)
    )
    for load in (1.2, 1.6, 2.0):
        measured, spent = cpu(lambda load=load: experiment.measure(PSpice(), load))
        met = int(measured.run.account.met[count // 2 :].sum())
        lost = measured.quality
        print(
            f"pSPICE at {load:.0%} {met / spent / 1e9:>8.2f} G/s, {count / 2 / spent / 1e6:.1f} M events/s, "
            f"lost {lost.lost:.3f} of {lost.matches[0]}, latency at most {lost.latencies[-1] / 1e6:.2f} ms, "
            f"bound {2.5 * leading:.0f}"
        )


def memory() -> None:
    """The same query over longer and longer logs: the memory of partial matches, and of the account of each event."""
    print("\nmemory, 40 leading symbols, windows of 5,000 events")
    for count in (50_000, 200_000, 800_000):
        symbol = np.random.default_rng(5).integers(0, 500, count)
        fits = symbol[:, None] == np.arange(10)[None, :]
        machine = Machine(10, Strategy.NEXT, Start.ONCE)
        pattern = Offered("Q1", machine, WindowSpec(5_000, events=True), fits, opening=symbol < 40)
        stream = stream_of([pattern], np.arange(count), Costs(((100,) * 10,), event=500))
        run = OperatorRun(stream, np.zeros(count, np.int64))
        run.advance(count)
        pool, account = (sum(column.nbytes for column in held) for held in (run.pool, run.account))
        print(
            f"{count:>8} events, at most {run.peak} partial matches alive: {pool / 1e3:,.0f} kB for them, "
            f"{account / count:,.0f} bytes an event for its account and its matches"
        )


def flight_events(folder: Path) -> pa.Table:
    """Departures and cancellations of the sample, in order."""
    rows = csv.read_csv(folder / "flights.csv.gz", convert_options=csv.ConvertOptions(null_values=["NA"]))
    hour = rows["time_hour"]
    hour = hour if pa.types.is_timestamp(hour.type) else pc.cast(hour, pa.timestamp("s"))
    sched = pc.add(pc.cast(pc.cast(hour, pa.timestamp("s")), pa.int64()), pc.multiply(rows["minute"], 60))
    departed = rows["dep_time"].is_valid()
    delay = rows["dep_delay"]
    return order(
        pa.table(
            {
                "event_type": pc.if_else(departed, "Departure", "Cancellation"),
                "ts": pc.if_else(departed, pc.add(sched, pc.multiply(pc.fill_null(delay, 0), 60)), sched),
                "carrier": rows["carrier"],
                "origin": rows["origin"],
                "dest": rows["dest"],
                "delay_min": delay,
            }
        )
    )


def flight_queries() -> dict[str, Query]:
    """The queries X1 and X2."""
    texts = dict.fromkeys(FLIGHT, AttributeType.STRING)
    departure = {name: Attribute(name, kind) for name, kind in texts.items()}
    delay = {"delay_min": Attribute("delay_min", AttributeType.INT)}
    schema = LogSchema({"Departure": departure | delay, "Cancellation": departure})
    return {name: bind((WORKLOAD / "queries" / f"{name}.cep").read_text(), schema) for name in QUERIES}


def night(folder: Path) -> None:
    events = flight_events(folder)
    begin, end = (int(datetime(2013, 3, day, 8, tzinfo=UTC).timestamp()) for day in (8, 9))
    others = {"event": 2_000, "lookup": 2, "sort": 1, "drop": 20, "draw": 5}
    steps = {"contagion": 4, "destination_collapse": 3}
    # Bounds are a fifth of the virtual time that the night costs unshed: bursts exceed them, quiet hours do not.
    bounds = {"contagion": 10_000_000, "destination_collapse": 2_000_000}

    def run() -> list[str]:
        lines = []
        for name, query in flight_queries().items():
            costs = Costs(((100,) * steps[name],), **others)
            compared = compare_shedding(
                scenario_of({name: query}, events, (begin, end), costs, bounds[name]), seeds=(0,)
            )
            measures: dict[tuple[str, str], list[float]] = {}
            for row in compared.to_pylist():
                measures.setdefault((row["strategy"], row["metric"]), []).append(row["value"])
            lines.append(f"{name}: {measures['none', 'matches'][0]:,.0f} matches")
            for strategy in dict.fromkeys(compared["strategy"].to_pylist()):
                lost, late = (
                    "  ".join(f"{value:6.1%}" for value in measures[strategy, metric])
                    for metric in ("lost", "late_time")
                )
                lines.append(f"  {strategy:>12}  lost {lost}   late {late}")
        return lines

    lines, spent = cpu(run)
    print(f"\n8 March 2013, X1 and X2, loads {', '.join(f'{load:.0%}' for load in LOADS)}: {spent:.1f} s")
    print("\n".join(lines))


def main() -> None:
    utility_table()
    meetings(4)
    meetings(40)
    memory()
    night(Path(sys.argv[1]) if len(sys.argv) > 1 else WORKLOAD / "data")


if __name__ == "__main__":
    main()
