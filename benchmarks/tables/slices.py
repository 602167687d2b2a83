"""What the queries of a night cost on its slices, and the digests of what they find, to be compared with another state.

`python benchmarks/tables/slices.py ACTION FOLDER ...`:

    keep FOLDER FROM TO     runs these days in a lake below FOLDER, and keeps their slices
    cost FOLDER             CPU-milliseconds of a slice: one query, nine, all; together as a run does it, and apart
    digest FOLDER [N]       a digest of every table that the slices' results are merged to
    apart FOLDER            the same of slices that are each evaluated by themselves
    profile FOLDER [QUERY]  where the time of all queries, or of one, goes

Slices are evaluated as a run does it (`evaluate_group`), small ones of a plan together, with results as bytes, by
pattern queries. Digests are of the run's own slices; N: they are evaluated in stretches of about so many candidates.
Costs are of the events of all days in time ranges of some 1,900 that read nothing of each other, each a slice; one
query alone is all that slices are read for, and times are the least of some turns. The nine are all queries but those
of `LATER`. For the year: `NYC_FLIGHTS_DATA=.cache/nyc_flights`, FROM 2013-01-01 TO
2013-12-31.
"""

from __future__ import annotations

import argparse
import cProfile
import hashlib
import os
import pickle
import pstats
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from cep_core.candidates import stretches
from cep_core.language.evaluator import of_table
from cep_core.slicing import Plan, TimeRange
from cep_core.slicing.slicing_plan import Cube
from jobs.stages.evaluating import partials
from jobs.stages.evaluating.assignment import SMALL, Assignment, QueryText, compiled
from jobs.stages.evaluating.left_batches import from_bytes
from jobs.stages.evaluating.slice_worker import evaluate_group
from jobs.stages.evaluating.slices.slice_files import SliceFile, Slices, columns_of, group_of, grouped
from jobs.stages.evaluating.slices.slice_partial import SlicePartial

WORKLOAD = "nyc_flights"
KEPT = "slices.pickle"
TURNS = 5
SLICES = 15
OF_PATTERNS = ".cep"
LATER = ("city_sweep", "doubling")
"""Queries that the workload did not have when its nine were measured first."""


class GivenSlices(NamedTuple):
    """What the evaluation of slices of a plan is given, which may be evaluated together."""

    assignment: Assignment
    jobs: Sequence[SliceFile]
    columns: dict[str, pa.DataType]

    def of(self, queries: Sequence[QueryText], most: int = SMALL) -> list[SlicePartial]:
        """What these queries find in the slices, from their files to bytes. `most`: events of slices together."""
        return [part for _, part in self.timed(queries, most)]

    def timed(self, queries: Sequence[QueryText], most: int = SMALL) -> Iterator[tuple[float, SlicePartial]]:
        """The same, each with the CPU-seconds since the one before."""
        asked = replace(self.assignment, queries=tuple(queries))
        for owned, jobs in grouped(asked, self.jobs, most):
            group = group_of(owned, jobs, self.columns, asked.row_limit)
            begin = time.process_time()
            for part in evaluate_group(asked, group):
                yield time.process_time() - begin, part
                begin = time.process_time()

    @property
    def queries(self) -> list[QueryText]:
        """The pattern queries that are evaluated on the slices."""
        names = self.assignment.plan(self.jobs[0].plan_id).queries
        return [query for query in self.assignment.queries if query.name in names and query.path.endswith(OF_PATTERNS)]


def keep(folder: Path, first: str, last: str) -> None:
    """Runs the days, and keeps what is given to evaluate the slices with events of each plan."""
    from jobs import cli

    given: list[GivenSlices] = []

    def planned(run: Any, slices: Slices, assignment: Assignment, points: Any) -> Iterator[SlicePartial]:
        for plan_id in sorted({job.plan_id for job in slices.present}):
            own = [job for job in slices.present if job.plan_id == plan_id]
            given.append(GivenSlices(assignment, own, columns_of(run)))
        return evaluated(run, slices, assignment, points)

    evaluated = partials.evaluated_here
    folder.mkdir(parents=True, exist_ok=True)
    places = {"TRENDMILL_LAKE": str(folder / "lake"), "TRENDMILL_REPORTS": str(folder / "reports")}
    with (
        mock.patch.dict(os.environ, places),
        mock.patch.object(partials, "evaluated_here", planned),
        mock.patch.object(partials, "is_held", return_value=True),
    ):
        code = cli.main(["run", WORKLOAD, "--from", first, "--to", last])
    (folder / KEPT).write_bytes(pickle.dumps([tuple(kept_slices) for kept_slices in given]))
    print(f"slices of {len(given)} evaluations kept; the run ended with {code}")


def kept(folder: Path) -> list[GivenSlices]:
    """The slices of `keep` on which pattern queries are evaluated."""
    given = [GivenSlices(*fields) for fields in pickle.loads((folder / KEPT).read_bytes())]
    return [slices for slices in given if slices.queries]


def nights(folder: Path) -> GivenSlices:
    """The kept days' events in SLICES time ranges of a plan for all pattern queries. None reads what is before it."""
    of_run = [slices for slices in kept(folder) if not any(query.table for query in slices.queries)]
    queries = {query.name: query for slices in of_run for query in slices.queries}
    columns = {name: kind for slices in of_run for name, kind in slices.columns.items()}
    events = (
        DeltaTable(folder / "lake" / WORKLOAD / "events")
        .to_pyarrow_table()
        .sort_by([("ts", "ascending"), ("seq", "ascending")])
    )
    events = events.append_column("pos", pa.array(range(events.num_rows)))
    stamps = events["ts"].to_numpy()
    bounds = [int(stamps[events.num_rows * number // SLICES]) for number in range(SLICES)] + [int(stamps[-1]) + 1]
    ranges = tuple(TimeRange(begin, end, begin) for begin, end in pairwise(bounds))
    plan = Plan(tuple(queries), (), (), (), (Cube(frozenset(), (), ()),), ranges=ranges)
    names = [name for name in columns if name in events.column_names]
    jobs = []
    for number, (begin, after) in enumerate(pairwise(np.searchsorted(stamps, bounds).tolist())):
        path = folder / f"piece-{number}.parquet"
        pq.write_table(events.slice(begin, after - begin).select(names), path)
        jobs.append(SliceFile(str(path), plan.plan_id, number, rows=after - begin))
    span = (bounds[0], bounds[-1])
    assignment = replace(
        of_run[0].assignment,
        plans=(plan.to_dict(),),
        queries=tuple(queries.values()),
        blocks=dict.fromkeys(queries, (span,)),
        since=dict.fromkeys(queries, (bounds[0],)),
    )
    return GivenSlices(assignment, jobs, {name: columns[name] for name in names})


def cost(folder: Path) -> None:
    """Prints the CPU time of slices with one query and with more, and of each query beside all others."""
    given = nights(folder)
    names = given.queries
    nine = [query for query in names if query.name not in LATER]
    print(f"{len(given.jobs)} slices, {len(names)} queries; CPU-ms of a slice, the least of {TURNS} turns")
    for way, most in (("together", SMALL), ("apart", 0)):
        reading, of_nine, of_all, alone = inf, inf, inf, [inf] * len(names)
        least: dict[str, float] = {}
        for _ in range(TURNS + 1):
            reading = min(reading, _seconds(given, (), most))
            alone = [min(best, _seconds(given, (query,), most)) for best, query in zip(alone, names, strict=True)]
            of_nine, of_all = min(of_nine, _seconds(given, nine, most)), min(of_all, _seconds(given, names, most))
            for name, seconds in _shares(given, most).items():
                least[name] = min(least.get(name, inf), seconds)
        among = [seconds for seconds, query in zip(alone, names, strict=True) if query in nine]
        of_one, of_each = sum(alone) / len(alone), sum(among) / len(among)
        print(
            f"{way}: read only {1e3 * reading:.2f}, one query {1e3 * of_one:.2f}, all {1e3 * of_all:.2f}",
            end="; ",
        )
        print(f"one of the nine {1e3 * of_each:.2f}, nine {1e3 * of_nine:.2f}")
        print(f"    {len(names)} / one: {of_all / of_one:.2f}; {len(nine)} / one of them: {of_nine / of_each:.2f}")
        for name, seconds in sorted(least.items(), key=lambda item: -item[1]):
            print(f"    {name:<28} {1e3 * seconds:.3f}")


def _seconds(given: GivenSlices, queries: Sequence[QueryText], most: int) -> float:
    """CPU-seconds of a slice that these queries are asked of."""
    begin = time.process_time()
    given.of(queries, most)
    return (time.process_time() - begin) / len(given.jobs)


def _shares(given: GivenSlices, most: int) -> dict[str, float]:
    """Seconds of each query's own in a slice, when all are evaluated."""
    spent: dict[str, float] = {}
    for seconds, part in given.timed(given.queries, most):
        spent[part.into] = spent.get(part.into, 0.0) + seconds
    return {name: seconds / len(given.jobs) for name, seconds in spent.items()}


def digest(folder: Path, candidates: int = stretches.LEAST, most: int = SMALL) -> None:
    """Prints a digest of what all slices find, merged, for each table of each query."""
    stretches.LEAST = candidates
    batches_of: dict[tuple[str, int], list[pa.RecordBatch]] = {}
    evaluators: dict[str, tuple[Any, Assignment]] = {}
    for slices in kept(folder):
        for query in slices.queries:
            evaluators[query.into] = compiled(query, slices.assignment.schema), slices.assignment
        for part in slices.of(slices.queries, most):
            own = batches_of.setdefault((part.into, part.block), [])
            own += [from_bytes(content) for content in part.batches]
    for (into, block), batches in sorted(batches_of.items()):
        evaluator, assignment = evaluators[into]
        days = assignment.blocks[into][block]
        for table in evaluator.tables:
            own = list(of_table(batches, table.suffix))
            if own and table.explain is None:
                merged = table.merge(own, days)
                print(f"{into + table.suffix:<36} block {block} {merged.num_rows:>8} rows {_digest(merged)}")


def _digest(table: pa.Table) -> str:
    """A hash of all values, types and totals of a table; not of its chunks."""
    hashed = hashlib.sha256(str(table.schema).encode())
    for column in table.columns:
        hashed.update(pickle.dumps(column.to_pylist()))
    return hashed.hexdigest()[:16]


def profile(folder: Path, query: str | None) -> None:
    """Prints where the time of the slices' queries goes."""
    given = nights(folder)

    def all_slices() -> None:
        given.of([asked for asked in given.queries if query in (None, asked.name)])

    all_slices()
    profiler = cProfile.Profile()
    profiler.runcall(all_slices)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("keep", "cost", "digest", "apart", "profile"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("more", nargs="*")
    chosen = parser.parse_args()
    match chosen.action:
        case "keep":
            keep(chosen.folder, *chosen.more)
        case "cost":
            cost(chosen.folder)
        case "digest":
            digest(chosen.folder, *map(int, chosen.more))
        case "apart":
            digest(chosen.folder, most=0)
        case _:
            profile(chosen.folder, *(chosen.more or [None]))


if __name__ == "__main__":
    main()
