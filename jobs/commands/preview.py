"""`trendmill preview`: the first rows of a workload's sources as events, by type, and the rows that are refused."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from jobs.analysis.folder import check_folder
from jobs.commands.given_day import given_day
from jobs.commands.readable_rows import readable_table
from jobs.exits import OK, WrongWorkload
from jobs.lake.session import LateSession
from jobs.log_files.arguments import count, positive
from jobs.questions.sampled.events import SampledEvents, events_of
from jobs.questions.sampled.source_rows import SampledRows, first_day, sample
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import counted, elapsed
from jobs.reports.words.values import listed, shown
from jobs.workload.declaration import Workload

ROWS = 10_000
SHOWN = 3
"""Events of each type that are shown, and refused rows of each reason."""
REASONS = 12
"""Reasons of refusals that are shown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("--rows", type=positive, default=ROWS, help=f"rows of each source to read (default {ROWS:,})")
    parser.add_argument(
        "--day", type=given_day, help="of sources with a file a day: whose files (default: the first there is)"
    )
    parser.add_argument(
        "--limit", type=count, default=SHOWN, help=f"events of each type to show, and refused rows (default {SHOWN})"
    )


def run(options: argparse.Namespace) -> int:
    """Read a sample, let Spark make events of it, print. Nothing is written. Raises SourceMissing, UnreadableSource."""
    begin = time.perf_counter()
    workload = check_folder(options.workload).workload
    daily = any(source.daily for source in workload.sources.values())
    if options.day is not None and not daily:
        raise WrongWorkload("--day chooses files by their day, and no source has a file a day")
    session = LateSession(f"trendmill preview {workload.name}")
    try:
        sampled = sample(
            workload, options.day or (first_day(workload) if daily else workload.start), options.rows, session
        )
        print(*_row_lines(workload, sampled, options.rows), sep="\n", flush=True)
        events = events_of(workload, sampled, session)
    finally:
        session.stop()
    print(*_event_lines(workload, events, options.limit), sep="\n")
    print(*_refusal_lines(events.refused, options.limit), sep="\n")
    print(f"events.sql and row rules: by Spark, on this sample only; {elapsed(time.perf_counter() - begin)}")
    return OK


def _row_lines(workload: Workload, sampled: list[SampledRows], most: int) -> Iterator[str]:
    yield f"{workload.name}: the first {most:,} rows of each source"
    for of in sampled:
        files = listed([shown(name) for name in of.files], 3) or "no file"
        whole = "the first of" if of.cut else "all of"
        yield f"  source {of.source.name}: {counted(of.rows.num_rows, 'row')}, {whole} {files}"
    cut = [of.source.name for of in sampled if of.cut]
    if cut and len(sampled) > 1:
        yield f"  of {listed(cut)} there is more: where events.sql joins them, partners may be missing"


def _event_lines(workload: Workload, sampled: SampledEvents, limit: int) -> Iterator[str]:
    events, clock = sampled.events, Clock(workload.time.unit, workload.time.zone)
    if not events.num_rows:
        yield "no event"
    else:
        first, last = (clock.at(int(events["ts"][place].as_py())) for place in (0, -1))
        yield f"{counted(events.num_rows, 'event')}, {first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M}"
    if sampled.early:
        yield f"{counted(sampled.early, 'event')} before {workload.start}, the log's start: a load leaves them out"
    for source, rows in sampled.silent.items():
        if rows:
            yield f"{counted(rows, 'row')} of {source} without an event"
    for event_type, attributes in workload.schema.types.items():
        of_type = events.filter(pc.equal(events["event_type"], event_type))
        yield ""
        yield f"{event_type}: {counted(of_type.num_rows, 'event')}"
        if of_type.num_rows and limit:
            yield readable_table(of_type.slice(0, limit).select(["ts", *attributes]), clock)


def _refusal_lines(refused: pa.Table, limit: int) -> Iterator[str]:
    yield ""
    if not refused.num_rows:
        yield "no row is refused"
        return
    yield f"{counted(refused.num_rows, 'row')} refused"
    by_reason: dict[tuple[str, str, str], list[str]] = {}
    for row in refused.to_pylist():
        by_reason.setdefault((row["source"], row["rule"], row["reason"]), []).append(row["row"])
    most_first = sorted(by_reason.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    for (source, rule, reason), rows in most_first[:REASONS]:
        yield f"  {source}, {rule}: {shown(reason)}: {counted(len(rows), 'row')}"
        yield from (f"    {shown(row)}" for row in rows[:limit])
    if len(most_first) > REASONS:
        yield f"  ... {counted(len(most_first) - REASONS, 'further reason')}"
