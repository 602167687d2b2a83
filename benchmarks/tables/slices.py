"""What the queries of a night cost on its slices, and the digests of what they find, to be compared with another state.

`python benchmarks/tables/slices.py ACTION FOLDER ...`:

    keep FOLDER FROM TO     runs these days in a lake below FOLDER, and keeps their slices
    cost FOLDER             CPU-milliseconds of a slice: one query, all queries, each beside the others
    digest FOLDER [N]       a digest of every table that the slices' results are merged to
    profile FOLDER [QUERY]  where the time of all queries, or of one, goes

Slices are evaluated as a run does it (`evaluate_slice`), with results as bytes, by pattern queries. Digests are of the
run's own slices; N: they are evaluated in stretches of about so many candidates. Costs are of the events of all days in
pieces of some 1,900: a piece with one query is read for that query alone, and times are the least of some turns. For
the year: `NYC_FLIGHTS_DATA=.cache/nyc_flights`, FROM 2013-01-01 TO 2013-12-31.
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
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from cep_core.candidates import stretches
from cep_core.language.evaluator import of_table
from cep_core.slicing import Plan
from cep_core.slicing.slicing_plan import Cube
from jobs.stages.evaluating import partials, slice_files, slice_worker

WORKLOAD = "nyc_flights"
KEPT = "slices.pickle"
TURNS = 5
SLICES = 15
OF_PATTERNS = ".cep"


class GivenSlice(NamedTuple):
    """What the evaluation of a slice is given."""

    assignment: slice_worker.Assignment
    job: slice_files.SliceFile
    columns: dict[str, pa.DataType]

    def of(self, queries: Sequence[slice_worker.QueryText]) -> list[slice_worker.SlicePartial]:
        """What these queries find in the slice, from its file to bytes."""
        asked = replace(self.assignment, queries=tuple(queries))
        events = slice_files.events_of(self.job, self.columns, asked.row_limit)
        return list(slice_worker.evaluate_slice(asked, self.job.plan_id, self.job.slice, events))

    @property
    def queries(self) -> list[slice_worker.QueryText]:
        """The pattern queries that are evaluated on the slice."""
        names = self.assignment.plan(self.job.plan_id).queries
        return [query for query in self.assignment.queries if query.name in names and query.path.endswith(OF_PATTERNS)]


def keep(folder: Path, first: str, last: str) -> None:
    """Runs the days, and keeps what `evaluate_slice` is given for each slice with events."""
    from jobs import cli

    given: list[GivenSlice] = []
    jobs: list[tuple[slice_files.SliceFile, dict[str, pa.DataType]]] = []
    read, evaluated = partials.events_of, partials.evaluate_slice

    def events_of(job: slice_files.SliceFile, columns: Any, most: int) -> Any:
        jobs.append((job, dict(columns)))
        return read(job, columns, most)

    def evaluate_slice(assignment: slice_worker.Assignment, *slice_of: Any) -> Iterator[slice_worker.SlicePartial]:
        job, columns = jobs[-1]
        if job.path:
            given.append(GivenSlice(assignment, job, columns))
        return evaluated(assignment, *slice_of)

    folder.mkdir(parents=True, exist_ok=True)
    places = {"TRENDMILL_LAKE": str(folder / "lake"), "TRENDMILL_REPORTS": str(folder / "reports")}
    with (
        mock.patch.dict(os.environ, places),
        mock.patch.object(partials, "events_of", events_of),
        mock.patch.object(partials, "evaluate_slice", evaluate_slice),
        mock.patch.object(partials, "is_held", return_value=True),
    ):
        code = cli.main(["run", WORKLOAD, "--from", first, "--to", last])
    (folder / KEPT).write_bytes(pickle.dumps([tuple(one) for one in given]))
    print(f"{len(given)} slices kept; the run ended with {code}")


def kept(folder: Path) -> list[GivenSlice]:
    """The slices of `keep` on which pattern queries are evaluated."""
    given = [GivenSlice(*fields) for fields in pickle.loads((folder / KEPT).read_bytes())]
    return [one for one in given if one.queries]


def nights(folder: Path) -> list[GivenSlice]:
    """The kept days' events in SLICES pieces one after the other, each a slice of its own for all pattern queries."""
    of_run = [one for one in kept(folder) if not any(query.table for query in one.queries)]
    queries = {query.name: query for one in of_run for query in one.queries}
    columns = {name: kind for one in of_run for name, kind in one.columns.items()}
    events = (
        DeltaTable(folder / "lake" / WORKLOAD / "events")
        .to_pyarrow_table()
        .sort_by([("ts", "ascending"), ("seq", "ascending")])
    )
    events = events.append_column("pos", pa.array(range(events.num_rows)))
    bounds = [events.num_rows * number // SLICES for number in range(SLICES + 1)]
    given = []
    for number, (begin, end) in enumerate(pairwise(bounds)):
        own = events.slice(begin, end - begin).select([name for name in columns if name in events.column_names])
        span = (own["ts"][0].as_py(), own["ts"][-1].as_py() + 1)
        plan = Plan(tuple(queries), (), (), (), (Cube(frozenset(), (), ()),))
        path = folder / f"piece-{number}.parquet"
        pq.write_table(own, path)
        assignment = replace(
            of_run[0].assignment,
            plans=(plan.to_dict(),),
            queries=tuple(queries.values()),
            blocks=dict.fromkeys(queries, (span,)),
            since={},
        )
        job = slice_files.SliceFile(str(path), plan.plan_id, 0)
        given.append(GivenSlice(assignment, job, {name: columns[name] for name in own.column_names}))
    return given


def cost(folder: Path) -> None:
    """Prints the CPU time of slices with one query and with all, and of each query beside all others."""
    given = nights(folder)
    names = given[0].queries
    reading, together, alone = float("inf"), float("inf"), [float("inf")] * len(names)
    least: dict[str, float] = {}
    for _ in range(TURNS + 1):
        reading = min(reading, _seconds(given, ()))
        alone = [min(best, _seconds(given, (query,))) for best, query in zip(alone, names, strict=True)]
        together = min(together, _seconds(given, names))
        for name, seconds in _shares(given).items():
            least[name] = min(least.get(name, float("inf")), seconds)
    one = sum(alone) / len(alone)
    print(f"{len(given)} slices, {len(names)} queries; CPU-ms of a slice, the least of {TURNS} turns")
    print(f"read only {1e3 * reading:.2f}, one query {1e3 * one:.2f}, all {1e3 * together:.2f}")
    print(f"all / one: {together / one:.2f}; nine / one: {(reading + 9 * (together - reading) / len(names)) / one:.2f}")
    for name, seconds in sorted(least.items(), key=lambda item: -item[1]):
        print(f"  {name:<28} {1e3 * seconds:.3f}")


def _seconds(given: Sequence[GivenSlice], queries: Sequence[slice_worker.QueryText]) -> float:
    """CPU-seconds of a slice that these queries are asked of."""
    begin = time.process_time()
    for one in given:
        one.of(queries)
    return (time.process_time() - begin) / len(given)


def _shares(given: Sequence[GivenSlice]) -> dict[str, float]:
    """Seconds of each query's own in a slice, when all are evaluated together."""
    spent: dict[str, list[float]] = {}
    for one in given:
        events = slice_files.events_of(one.job, one.columns, one.assignment.row_limit)
        asked = replace(one.assignment, queries=tuple(one.queries))
        begin = time.process_time()
        for found in slice_worker.evaluate_slice(asked, one.job.plan_id, one.job.slice, events):
            spent.setdefault(found.into, []).append(time.process_time() - begin)
            begin = time.process_time()
    return {name: sum(times) / len(times) for name, times in spent.items()}


def digest(folder: Path, candidates: int = stretches.LEAST) -> None:
    """Prints a digest of what all slices find, merged, for each table of each query."""
    stretches.LEAST = candidates
    found: dict[tuple[str, int], list[pa.RecordBatch]] = {}
    evaluators: dict[str, tuple[Any, slice_worker.Assignment]] = {}
    for one in kept(folder):
        for query in one.queries:
            evaluators[query.into] = slice_worker.compiled(query, one.assignment.schema), one.assignment
        for part in one.of(one.queries):
            own = found.setdefault((part.into, part.block), [])
            own += [slice_worker.from_bytes(content) for content in part.batches]
    for (into, block), batches in sorted(found.items()):
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
        for one in given:
            one.of([asked for asked in one.queries if query in (None, asked.name)])

    all_slices()
    profiler = cProfile.Profile()
    profiler.runcall(all_slices)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("keep", "cost", "digest", "profile"))
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
        case _:
            profile(chosen.folder, *(chosen.more or [None]))


if __name__ == "__main__":
    main()
