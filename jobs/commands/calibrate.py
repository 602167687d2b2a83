"""`trendmill calibrate`: measure the costs of queries on this machine, and print the YAML for load shedding."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from cep_core.events.schema import Ties
from cep_core.shedding.arrays.offering import offered, relevant_types
from cep_core.shedding.training.calibrating import PARTS, Calibration, TimeSpread, calibrate
from jobs import places
from jobs.exits import OK, WrongWorkload
from jobs.lake.reading import read_types
from jobs.runs.ledger import read_ledger
from jobs.workload.compiled import WorkloadQuery, compile_workload
from jobs.workload.declaration import Workload, load_workload
from jobs.workload.explained import virtual
from jobs.workload.files.problems import nearest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument(
        "query", nargs="*", help="queries that share an operator (default: those that ask for shedding)"
    )
    parser.add_argument("--days", type=int, default=7, help="measure on the last so many days of the lake (default 7)")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions, whose spread is printed (default 5)")


def run(options: argparse.Namespace) -> int:
    """Measure, print the spread and the lines for workload.yaml."""
    workload = load_workload(options.workload)
    queries = _chosen(workload, compile_workload(workload), options.query)
    if options.days < 1 or options.repeat < 1:
        raise WrongWorkload("--days and --repeat are at least 1")
    ledger = read_ledger(places.lake(), workload.name)
    days = [day for day in sorted(ledger.days) if ledger.holds(day)][-options.days :]
    if not days:
        raise WrongWorkload(f"the lake holds no day of {workload.name}; load some with `trendmill run`")
    types = {kind for query in queries.values() for kind in relevant_types(query)}
    events = read_types(places.lake(), workload, types, days)
    if not events.num_rows:
        raise WrongWorkload(f"no event of {', '.join(sorted(types))} from {days[0]} to {days[-1]}")
    measured = _measured(queries, events, options.repeat)
    where, repeated = f"{days[0]}..{days[-1]}", f"{options.repeat} repetitions"
    print(f"# {measured.events:,} events of {where} met {measured.meetings:,} partial matches; nanoseconds:")
    print(f"# median [least..most] of {repeated}, which explain {measured.explained:.0%} of the variance of the times")
    print("\n".join(_declaration(workload, queries, measured)))
    if not measured.meetings:
        print("no partial match was met: the costs of states are guessed; measure on busier days", file=sys.stderr)
    return OK


def _chosen(workload: Workload, compiled: Mapping[str, WorkloadQuery], asked: Sequence[str]) -> dict[str, Any]:
    names = sorted(set(asked)) or list(workload.shed_queries)
    if not names:
        raise WrongWorkload(f"no query of '{workload.name}' asks for shedding; name the ones to measure")
    for name in names:
        if name not in compiled:
            raise WrongWorkload(f"'{workload.name}' has no query '{name}'; {nearest(name, compiled)}")
    return {name: compiled[name].query for name in names}


def _measured(queries: Mapping[str, Any], events: pa.Table, repetitions: int) -> Calibration:
    patterns = [offered(query, events, name=name) for name, query in queries.items()]
    ordered = any(query.schema.ties is Ties.ORDERED for query in queries.values())
    return calibrate(patterns, events["ts"].to_numpy(), ordered=ordered, repetitions=repetitions)


def _declaration(workload: Workload, queries: Mapping[str, Any], measured: Calibration) -> list[str]:
    """The lines for workload.yaml. Values that are not measured stay as declared."""
    lines = ["queries:"]
    for name, states in zip(queries, measured.states, strict=True):
        declared = workload.shed_queries.get(name)
        weight = f"weight: {declared.weight:g}, " if declared is not None and declared.weight != 1 else ""
        costs = ", ".join(str(spread.whole) for spread in states)
        lines.append(f"  # by state: {', '.join(map(_spread_text, states))}")
        lines += [f"  {name}:", f"    shedding: {{{weight}costs: [{costs}]}}"]
    spreads = {"event": measured.event, **dict(zip(PARTS, measured.parts, strict=True))}
    measurements = ", ".join(f"{name} {_spread_text(spread)}" for name, spread in spreads.items())
    costs = ", ".join(f"{name}: {spread.whole}" for name, spread in spreads.items())
    bound = "20ms  # choose one" if workload.shedding is None else virtual(workload.shedding.bound).replace(" ", "")
    return [*lines, "shedding:", f"  bound: {bound}", f"  # {measurements}", f"  costs: {{{costs}}}"]


def _spread_text(spread: TimeSpread) -> str:
    return f"{spread.median:.1f} [{spread.least:.1f}..{spread.most:.1f}]"
