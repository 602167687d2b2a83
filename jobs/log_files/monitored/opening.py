"""Opening the log that `trendmill monitor` is given: a text with a signature, a table, or standard input.

A text stays open and is read by the monitor, in blocks if only verdicts are asked. A table is read here.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from cep_core.progress.meter import Meter
from jobs.exits import WrongWorkload
from jobs.log_files.arguments import query_text, reading_of, refuse_options_of_tables
from jobs.log_files.log import Wanted, read_log
from jobs.log_files.monitored.text_log import open_text
from jobs.log_files.reading.log_file import FORMS
from jobs.log_files.remarks import remark
from jobs.log_files.times.log_clock import LogClock

STANDARD_INPUT = Path("-")
TEXTS = ("monpoly", "dejavu", "rv")
TABLES = FORMS
NAMES = "names"
"""The form of a text with a time-point on each line: its stamp and the names that hold there."""


@dataclass(frozen=True)
class OpenedLog:
    """A log that can be monitored. `form`: that of a text, if the user said it; else its first line tells."""

    source: BinaryIO | pa.Table
    clock: LogClock
    signature: str | None = None
    unit: str = "s"
    form: str | None = None
    at_once: bool = False


def opened(options: argparse.Namespace, wanted: Wanted, meter: Meter) -> OpenedLog:
    """The log of the command line. Raises what `read_log` raises, and WrongWorkload where options contradict."""
    is_table = options.format in TABLES or (options.format is None and options.sig is None)
    if options.log == STANDARD_INPUT and is_table and options.format is None:
        hint = f"--sig FILE gives its signature; of a table --format {', '.join(TABLES)}"
        raise WrongWorkload(f"standard input is read as a text: {hint}")
    if is_table:
        if options.sig is not None:
            raise WrongWorkload(f"--sig: a {options.format} file has columns of its own; leave the signature out")
        return _table(options, wanted, meter)
    if options.format == NAMES:
        raise WrongWorkload("--format names is for .mtl policies: an event of an .mfotl policy has arguments")
    if options.sig is None:
        raise WrongWorkload(f"a log of the form {options.format} has no types of its own: --sig FILE gives them")
    return _text(options, meter)


def _text(options: argparse.Namespace, meter: Meter) -> OpenedLog:
    refuse_options_of_tables(options)
    if options.skip_bad is not None:
        raise WrongWorkload("--skip-bad is for .mtl policies, and for CSV files")
    is_input = options.log == STANDARD_INPUT
    log = cast(BinaryIO, sys.stdin.buffer) if is_input else open_text(options.log, meter)
    signature = query_text(options.sig, "signature")
    return OpenedLog(log, LogClock(None), signature, options.unit or "s", options.format, at_once=is_input)


def _table(options: argparse.Namespace, wanted: Wanted, meter: Meter) -> OpenedLog:
    reading = reading_of(options)
    log = read_log(options.logs, wanted, reading, lambda done, of: meter.tell("reading", done, of))
    remark(*log.notes)
    return OpenedLog(log.events, log.clock, unit=log.schema.unit)
