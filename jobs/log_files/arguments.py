"""The arguments that commands over a log's file share: the query, the file, its columns, the form of the answer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cep_core.events.schema import Ties
from cep_core.language.budget import DEFAULT_WORK
from jobs.exits import WrongWorkload
from jobs.log_files.chosen_columns import Reading
from jobs.log_files.reading.csv_form import encoding_named, separator_named
from jobs.log_files.reading.log_file import FORMS, FileOptions
from jobs.log_files.reading.ragged_rows import EVERY
from jobs.log_files.times.stamps import DAY
from jobs.log_files.times.time_source import TimeOptions
from jobs.workload.operating_days import UNITS

LOG_HELP = "CSV, JSON lines, Parquet or Arrow files (also .gz, .bz2, .zst), folders, patterns, or - for standard input"


def add_query_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for a query, as a file or on the command line, and for the files of a log."""
    parser.add_argument(
        "files", nargs="*", metavar="QUERY LOG", help=f"a file with a query (docs/language.md), and {LOG_HELP}"
    )
    parser.add_argument("-e", dest="text", metavar="QUERY", help="the query itself, in place of its file")


def asked_query(options: argparse.Namespace) -> tuple[str, str]:
    """The text of the query, and how messages call it. `options.logs` becomes what else the user named.

    Raises WrongWorkload where there is none.
    """
    if options.text is not None:
        options.logs = options.files
        return options.text, "-e"
    if not options.files:
        raise WrongWorkload("which query? Name its file, or write it behind -e")
    query, *options.logs = options.files
    return query_text(Path(query)), query


def add_log_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for how files are read, and the meaning of their columns."""
    add_time_arguments(parser)
    parser.add_argument(
        "--type",
        metavar="COLUMN",
        help="what tells the event type (default: event_type, else the first text column that holds one of the "
        "pattern's types; without any, a pattern of one type takes every row)",
    )
    parser.add_argument(
        "--seq", metavar="COLUMN", help="the column that orders events of equal time (default: the row in the file)"
    )
    parser.add_argument("--ties", choices=[tie.value for tie in Ties], default="concurrent", help="default concurrent")
    add_csv_arguments(parser)
    parser.add_argument(
        "--lacks",
        metavar="TYPE.COLUMN",
        action="append",
        default=[],
        help="events of this type do not have this attribute: an equivalence does not constrain them",
    )


def add_csv_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for what CSV files look like."""
    parser.add_argument("--missing", metavar="TEXT", action="append", default=[], help="a text for no value, e.g. NA")
    parser.add_argument("--names", metavar="A,B,...", help="the columns of CSV files without a right header")
    parser.add_argument(
        "--sep",
        metavar="MARK",
        help="what separates the fields of CSV files, e.g. ';' or tab (default: by their lines)",
    )
    parser.add_argument("--encoding", metavar="NAME", help="of CSV files, e.g. latin-1 (default UTF-8)")


def add_time_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for what tells the time of an event."""
    parser.add_argument(
        "--ts",
        metavar="COLUMN",
        help="the column of times, or two as Date+Time (default: ts, else what can be read in one way only)",
    )
    parser.add_argument(
        "--ts-format",
        metavar="FORM",
        help="how the time is written, e.g. '%%d/%%b/%%Y:%%H:%%M:%%S' or '%%y%%m%%d %%H%%M%%S'",
    )
    parser.add_argument(
        "--origin", metavar="DATE", help="of times that count from some moment: when that was, e.g. 2024-01-31T08:00"
    )
    parser.add_argument(
        "--unit", choices=[*UNITS, DAY], help="what numbers that tell the time count (default: by their size)"
    )
    parser.add_argument(
        "--zone", default="UTC", help="time zone in which times are shown, and of times without an offset (default UTC)"
    )


def time_options(options: argparse.Namespace) -> TimeOptions:
    """What the arguments say of the time. Raises WrongWorkload for a zone that is not known."""
    return TimeOptions(options.ts, options.ts_format, options.unit, options.origin, options.zone)


ANY_NUMBER = EVERY
"""What `--skip-bad` without a number is."""

_OF_TABLES: dict[str, Any] = {
    "ts": None,
    "ts_format": None,
    "origin": None,
    "type": None,
    "seq": None,
    "ties": "concurrent",
    "missing": [],
    "names": None,
    "sep": None,
    "encoding": None,
    "lacks": [],
    "zone": "UTC",
    "points": "by_timestamp",
}
"""Options about a table's columns, with what they are if the user does not say."""


def refuse_options_of_tables(options: argparse.Namespace) -> None:
    """Of a log that is a text. Raises WrongWorkload for an option that would do nothing there, or several files."""
    if len(options.logs) > 1:
        raise WrongWorkload(f"{options.logs[0]} is a text, which is a log by itself: name one")
    if options.skip_bad not in (None, ANY_NUMBER):
        raise WrongWorkload(f"--skip-bad {options.skip_bad}: a number of rows is for tables")
    for name, unsaid in _OF_TABLES.items():
        if getattr(options, name) != unsaid:
            raise WrongWorkload(
                f"--{name.replace('_', '-')} is for tables: the points and times of a text log are as it writes them"
            )


def count(text: str) -> int:
    """A number of rows: none or more.

    >>> count("0")
    0
    """
    return _at_least(0, text)


def positive(text: str) -> int:
    """A number, at least one.

    >>> positive("2")
    2
    """
    return _at_least(1, text)


def _at_least(least: int, text: str) -> int:
    number = int(text)
    if number < least:
        raise argparse.ArgumentTypeError(f"{number} is less than {least}")
    return number


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for programs: the result's own columns in place of text for a person."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print the result's columns as CSV")
    form.add_argument("--json", action="store_true", help="print a JSON object a row")
    form.add_argument("--parquet", type=Path, metavar="FILE", help="write the result's columns to a Parquet file")


def add_work_argument(parser: argparse.ArgumentParser) -> None:
    """The argument for the budget of work, for queries that can only be answered by trying."""
    parser.add_argument(
        "--work",
        type=positive,
        default=DEFAULT_WORK,
        metavar="STEPS",
        help=f"steps after which a listing of candidates is given up (default {DEFAULT_WORK:,})",
    )


def add_file_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for the form of files, of commands that read nothing but tables."""
    parser.add_argument("--format", choices=FORMS, help="the form of the files (default: by their suffix, else csv)")
    parser.add_argument(
        "--skip-bad",
        type=count,
        metavar="N",
        help="leave out and count up to N rows of a CSV file that have another number of fields (default 0)",
    )


def _names(text: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    if len(set(names)) < len(names) or "" in names:
        raise WrongWorkload(f"--names takes different names such as ts,type,price, not '{text}'")
    return names


def reading_of(options: argparse.Namespace) -> Reading:
    """What the arguments say of the file's columns."""
    lacks = [tuple(pair.split(".")) for pair in options.lacks]
    for pair in lacks:
        if len(pair) != 2:
            raise WrongWorkload(f"--lacks takes an event type and a column such as Storm.tail, not '{'.'.join(pair)}'")
    return Reading(
        time_options(options),
        options.type,
        options.seq,
        Ties(options.ties),
        tuple((event_type, attribute) for event_type, attribute in lacks),
        file_options(options),
    )


def file_options(options: argparse.Namespace) -> FileOptions:
    """What the arguments say of the files' form. Raises WrongWorkload for names and marks that cannot be."""
    return FileOptions(
        tuple(options.missing),
        options.format,
        _names(options.names),
        options.skip_bad or 0,
        separator_named(options.sep),
        encoding_named(options.encoding),
    )


def query_text(path: Path, kind: str = "query file") -> str:
    """The text of a query, or of a file of another kind. Raises WrongWorkload if there is no such file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WrongWorkload(f"no such {kind}: {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise WrongWorkload(f"cannot read {path}: {error}") from error
