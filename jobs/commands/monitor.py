"""`trendmill monitor p.mfotl log`: where a policy is violated in a log's file, without Spark or a lake.

With a signature (`--sig`) the log is a text of MonPoly, DejaVu or the RV competition, which is read in blocks; without
one it is a table in a CSV, JSON lines or Parquet file, as for `trendmill match`. `-` reads a text from standard input.
Verdicts are listed as they are found; of standard input each one as soon as it is decided.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

import cep_core as cep
from cep_core.events.logs.errors import LogError
from jobs.exits import OK, VIOLATED, RunError, WrongWorkload
from jobs.log_files.arguments import (
    add_log_arguments,
    add_output_arguments,
    asked_verdict,
    count,
    query_text,
    reading_of,
)
from jobs.log_files.log import read_log
from jobs.log_files.log_clock import LogClock
from jobs.log_files.meter import Meter, MeteredFile
from jobs.log_files.remarks import remark
from jobs.log_files.verdicts import SHOWN, VerdictListing
from jobs.reports.words.quantities import counted, elapsed, quantity

STANDARD_INPUT = Path("-")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_log_arguments(parser, log_required=False)
    parser.add_argument("--sig", type=Path, metavar="FILE", help="MonPoly's signature of a log that is a text")
    parser.add_argument("--end", choices=["open", "closed"], default="open", help="whether more events may follow")
    parser.add_argument("--no-rewrite", action="store_true", help="judge safety on the formula as written")
    parser.add_argument("--points", default="by_timestamp", help="by_timestamp (default), by_event, or a column")
    parser.add_argument("--for-each", metavar="COLUMN", action="append", help="a log of its own for each value")
    parser.add_argument("--limit", type=count, help=f"verdicts to list (default {SHOWN}; for programs all)")
    parser.add_argument("--as", dest="form", choices=["monpoly"], help="print verdicts as this monitor does")
    parser.add_argument("--fail", action="store_true", help=f"exit with {VIOLATED} if there is a verdict")
    parser.add_argument(
        "--why",
        metavar="VERDICT",
        help="why this is a violation, or why it is none, e.g. 'x=3, plane=N1 @20' (times as whole numbers)",
    )
    parser.add_argument("--explain", action="store_true", help="print how the policy is understood; no log is read")
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Read, monitor, print. Raises QueryError for a wrong policy and RunError for a log that breaks its signature."""
    begin, meter = time.perf_counter(), Meter()
    query_text(options.query)
    if options.explain:
        print(cep.explain(options.query))
        return OK
    if options.log is None:
        raise WrongWorkload("which log? trendmill monitor POLICY LOG; --explain alone needs none")
    try:
        if options.why is not None:
            print(_causes(options, meter))
            return OK
        rows, clock = _of_text(options, meter) if options.sig else _of_table(options, meter)
        listing = VerdictListing(options, clock, rows.schema)
        for batch in rows:
            meter.clear()
            listing.add(batch)
        listing.end()
    except LogError as error:
        raise RunError(str(error)) from error
    finally:
        meter.clear()
    if listing.for_person:
        print(_ending(listing, time.perf_counter() - begin))
    return VIOLATED if options.fail and listing.found else OK


def _causes(options: argparse.Namespace, meter: Meter) -> str:
    """The smallest proof of one verdict."""
    asked = asked_verdict(options.why)
    if options.log == STANDARD_INPUT:
        raise WrongWorkload("--why reads the log more than once, which standard input does not allow")
    signature = query_text(options.sig) if options.sig else None
    unit, log = options.unit or "s", options.log
    if signature is None:
        table = read_log(log, options.query, reading_of(options), lambda done, of: meter.tell("reading", done, of))
        unit, log = options.unit or table.schema.unit, table.events
    elif not log.is_file():
        raise RunError(f"no such file: {log}")
    try:
        causes = cep.why(
            options.query,
            signature,
            log,
            asked.at,
            asked.values,
            end=options.end,
            rewrite=not options.no_rewrite,
            points=options.points,
            for_each=options.for_each,
            unit=unit,
        )
    except ValueError as error:
        raise WrongWorkload(f"--why: {error}") from error
    return str(causes)


def _of_text(options: argparse.Namespace, meter: Meter) -> tuple[pa.RecordBatchReader, LogClock]:
    """The verdicts on a text log, whose times are numbers."""
    signature = query_text(options.sig)
    if options.log == STANDARD_INPUT:
        log = cast(BinaryIO, sys.stdin.buffer)
    elif options.log.is_file():
        log = cast(BinaryIO, MeteredFile(options.log, meter))
    else:
        raise RunError(f"no such file: {options.log}")
    return _monitored(options, signature, log), LogClock(None)


def _of_table(options: argparse.Namespace, meter: Meter) -> tuple[pa.RecordBatchReader, LogClock]:
    if options.log == STANDARD_INPUT:
        raise WrongWorkload("standard input is read as a text, whose signature is needed: --sig FILE")
    reading = reading_of(options)
    log = read_log(options.log, options.query, reading, lambda done, of: meter.tell("reading", done, of))
    remark(*log.notes)
    return _monitored(options, None, log.events, log.schema.unit), LogClock.of(log, options.zone)


def _monitored(
    options: argparse.Namespace, signature: str | None, log: BinaryIO | pa.Table, unit: str = "s"
) -> pa.RecordBatchReader:
    rows = cep.monitor(
        options.query,
        signature,
        log,
        end=options.end,
        rewrite=not options.no_rewrite,
        points=options.points,
        for_each=options.for_each,
        unit=options.unit or unit,
        batches=True,
    )
    assert isinstance(rows, pa.RecordBatchReader)
    return rows


def _ending(listing: VerdictListing, seconds: float) -> str:
    many = counted(listing.found, "violation") if listing.found else "no violation"
    cut = f", {quantity(listing.shown)} shown (--limit, --csv)" if listing.shown < listing.found else ""
    return f"{many}{cut}; {elapsed(seconds)}"
