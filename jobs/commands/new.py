"""`trendmill new`: write a first workload folder from a file, to be edited. It passes `trendmill check` at once.

It guesses the column of times, the column of event types (few values that can be names; else there is one type), and
that every other column is an attribute. Each guess is a line of the written files.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
import pyarrow.types as kinds

from jobs import places
from jobs.exits import OK, WrongWorkload
from jobs.log_files.columns import holds_decimals, read_stamps, time_column, unit_of
from jobs.workload.files.problems import brief
from jobs.workload.names import RULE, is_name
from jobs.workload.sections.event_types import RESERVED

_SAMPLE = 100_000
_MOST_TYPES = 30
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Guess:
    """What a sample shows about a log."""

    ts: str
    type_column: str | None
    types: list[str]
    attributes: dict[str, str]
    first: pa.Scalar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the new workload's name: lower case letters, digits and '_'")
    parser.add_argument("--from", dest="file", required=True, type=Path, help="a CSV, JSON lines or Parquet file")
    parser.add_argument("--ts", help="the column of times (default: the first that can be one)")
    parser.add_argument("--type", help="the column of event types (default: the first that can be one)")


def run(options: argparse.Namespace) -> int:
    """Write the folder. A folder that exists is not touched."""
    if not is_name(options.name):
        raise WrongWorkload(f"{brief(options.name)} cannot name a workload: {RULE}")
    folder = places.workloads() / options.name
    if folder.exists():
        raise WrongWorkload(f"{folder} exists; edit it, or choose another name")
    sample, form = _read(options.file)
    twice = [column for column, times in Counter(sample.column_names).items() if times > 1]
    if twice:
        raise WrongWorkload(f"cannot read {options.file}: it has two columns named '{twice[0]}'")
    if not sample.num_rows:
        raise WrongWorkload(f"cannot read {options.file}: it has no rows")
    sample = pa.table({name: read_stamps(sample[name]) for name in sample.column_names})
    guess = _guess(sample, options.ts, options.type, options.name)
    written = {
        "workload.yaml": _declaration(options.name, options.file.absolute(), form, sample, guess),
        "events.sql": _events_sql(f"{options.name}_rows", sample, guess),
        "expectations.yaml": _EXPECTATIONS,
        "README.md": f"# {options.name}\n\nWhat the log is, its licence, what to look for.\n",
        f"queries/{guess.types[0].lower()}_runs.cep": _first_query(guess),
        f"policies/{guess.types[0].lower()}_gaps.mfotl": _first_policy(guess),
    }
    for name, text in written.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{folder}: {', '.join(written)}\nnext: trendmill check {options.name}")
    return OK


def _read(path: Path) -> tuple[pa.Table, str]:
    """A sample of the file and its format."""
    suffixes = [suffix for suffix in path.suffixes if suffix not in (".gz", ".bz2", ".zst")]
    kind = suffixes[-1] if suffixes else ""
    try:
        if kind == ".parquet":
            return pyarrow.parquet.read_table(path).slice(0, _SAMPLE), "parquet"
        if kind in (".json", ".jsonl", ".ndjson"):
            with pa.input_stream(str(path)) as stream:
                return pyarrow.json.read_json(stream).slice(0, _SAMPLE), "json"
        with pyarrow.csv.open_csv(path) as reader:
            return pa.Table.from_batches([reader.read_next_batch()]).slice(0, _SAMPLE), "csv"
    except (OSError, pa.ArrowInvalid, StopIteration) as error:
        raise WrongWorkload(f"cannot read {path}: {str(error) or 'it has no rows'}") from error


def _guess(sample: pa.Table, ts: str | None, type_column: str | None, name: str) -> Guess:
    for column in (ts, type_column):
        if column is not None and column not in sample.column_names:
            raise WrongWorkload(f"no column '{column}'; there are {', '.join(sample.column_names)}")
    ts = ts or time_column(sample)
    kind = sample.schema.field(ts).type
    if not (kinds.is_integer(kind) or kinds.is_timestamp(kind) or kinds.is_date(kind)):
        raise WrongWorkload(f"'{ts}' holds {kind}, not moments: whole numbers, dates or time-stamps; name it with --ts")
    type_column = type_column or _first(sample, lambda field: _is_type_column(sample[field.name]))
    values = sorted(set(sample[type_column].drop_null().to_pylist())) if type_column else []
    odd = [value for value in values if not isinstance(value, str) or not _NAME.fullmatch(value)]
    if odd:
        raise WrongWorkload(f"'{type_column}' has values that cannot name event types: {odd[:5]}")
    attributes = {
        field.name: "float" if holds_decimals(sample[field.name]) else _attribute_type(field.type)
        for field in sample.schema
        if field.name not in (ts, type_column, *RESERVED) and _NAME.fullmatch(field.name)
    }
    only_type = "".join(part.title() for part in name.split("_"))
    return Guess(ts, type_column, values or [only_type], attributes, pc.min(sample[ts]))


def _first(sample: pa.Table, fits: Callable[[pa.Field], bool]) -> str | None:
    return next((field.name for field in sample.schema if fits(field)), None)


def _is_type_column(column: pa.ChunkedArray) -> bool:
    if not kinds.is_string(column.type):
        return False
    values = column.unique().to_pylist()
    return 1 < len(values) <= _MOST_TYPES and all(value and _NAME.fullmatch(value) for value in values)


def _attribute_type(arrow: pa.DataType) -> str:
    if kinds.is_boolean(arrow):
        return "bool"
    if kinds.is_integer(arrow):
        return "int"
    return "float" if kinds.is_floating(arrow) or kinds.is_decimal(arrow) else "string"


def _column_type(arrow: pa.DataType) -> str:
    if kinds.is_timestamp(arrow):
        return "timestamp"
    return "date" if kinds.is_date(arrow) else _attribute_type(arrow)


def _unit(sample: pa.Table, guess: Guess) -> str:
    """The coarsest unit that keeps the sample's times apart: by size for numbers, by fractions for time-stamps."""
    column = sample[guess.ts]
    if kinds.is_integer(column.type):
        return unit_of(column)
    stamps = column.cast(pa.timestamp("us"))
    return next((unit for unit in ("s", "ms") if pc.all(pc.equal(_cut(stamps, unit), stamps)).as_py()), "us")


def _cut(stamps: pa.ChunkedArray, unit: str) -> pa.ChunkedArray:
    return stamps.cast(pa.timestamp(unit), safe=False).cast(stamps.type)


def _declaration(name: str, path: Path, form: str, sample: pa.Table, guess: Guess) -> str:
    columns = "\n".join(f'      "{field.name}": {_column_type(field.type)}' for field in sample.schema)
    attributes = "".join(f"    {key}: {value}?\n" for key, value in guess.attributes.items())
    events = "\n".join(f"  {kind}:\n{attributes}".rstrip() if attributes else f"  {kind}: {{}}" for kind in guess.types)
    return f"""title: {name}
owner: data-engineering

sources:
  {name}_rows:
    format: {form}
    path: {path}
    columns:
{columns}

time:
  unit: {_unit(sample, guess)}
  zone: UTC
  ties: concurrent

# A day of the log begins at midnight UTC.
schedule: "0 0 * * *"
start: {_start(sample, guess)}

# `?`: the attribute may be absent.
events:
{events}
"""


def _start(sample: pa.Table, guess: Guess) -> str:
    factor = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[_unit(sample, guess)]
    first = guess.first
    if kinds.is_integer(first.type):
        first = pa.scalar((first.as_py() or 0) // factor, pa.timestamp("s"))
    return str(first.cast(pa.timestamp("us")).as_py().date()) if first.is_valid else "1970-01-01"


def _events_sql(source: str, sample: pa.Table, guess: Guess) -> str:
    kind = sample.schema.field(guess.ts).type
    column = f"`{guess.ts}`"
    if kinds.is_date(kind):
        column = f"CAST({column} AS TIMESTAMP)"
    whole = {"s": "unix_seconds", "ms": "unix_millis", "us": "unix_micros"}
    ts = column if kinds.is_integer(kind) else f"{whole[_unit(sample, guess)]}({column})"
    attributes = [
        f"CAST({name} AS DOUBLE) AS {name}" if of == "float" and _column_type(sample[name].type) == "string" else name
        for name, of in guess.attributes.items()
    ]
    selects = [
        "\n".join(
            [
                "SELECT",
                ",\n".join(f"    {item}" for item in [f"'{t}' AS event_type", f"{ts} AS ts", "_row", *attributes]),
                f"FROM {source}",
                *([f"WHERE `{guess.type_column}` = '{t}'"] if guess.type_column else []),
            ]
        )
        for t in guess.types
    ]
    return "-- Each row is one event.\n" + "\n\nUNION ALL\n\n".join(selects) + "\n"


_EXPECTATIONS = """# A row is refused only where a rule is false:
#   - {name: positive_price, source: ..., holds: price > 0, reason: why the rule exists}
rows: []

# Great Expectations over each day alone; a fatal rule that fails leaves the day's tables as they were.
gate:
  - name: some_events
    type: expect_table_row_count_to_be_between
    arguments: {min_value: 1}
    severity: warn
    reason: a day without events is rare enough to look at
"""


def _first_query(guess: Guess) -> str:
    kind = guess.types[0]
    return f"""-- How many runs of one or more {kind} events does each hour hold?
RETURN COUNT(*)
PATTERN {kind} E+
WITHIN 1 hour
"""


def _first_policy(guess: Guess) -> str:
    kind = guess.types[0]
    return f"""-- Which {kind} came after an hour and more without any?
{kind}() AND NOT ONCE(0,1h) {kind}()
"""
