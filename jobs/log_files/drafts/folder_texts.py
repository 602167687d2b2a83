"""The texts of a first workload folder, as a person would write them. Guesses are in them as plain lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.types as kinds

from jobs.log_files.columns import holds_commas
from jobs.log_files.drafts.guess import Guess, Rows, attribute_type_of
from jobs.log_files.drafts.named_parts import sql_of, sql_text


@dataclass(frozen=True)
class SourceKeys:
    """What a workload says of its source beside its columns. `separator`: of CSV; `missing`: a text for no value."""

    path: Path
    format: str
    header: bool = True
    separator: str = ","
    missing: str = ""

    @property
    def lines(self) -> Iterator[str]:
        """Lines of YAML."""
        yield f"format: {self.format}"
        yield f"path: {json.dumps(str(self.path), ensure_ascii=False)}"
        if self.separator != ",":
            yield f"options: {{sep: {json.dumps(self.separator)}}}"
        if not self.header:
            yield "header: false"
        if self.missing:
            yield f"missing: {json.dumps(self.missing, ensure_ascii=False)}"


def texts_of(name: str, source: SourceKeys, rows: Rows, zone: str, guess: Guess) -> dict[str, str]:
    """For each file of the folder its text."""
    kind = next(iter(guess.types)).lower()
    return {
        "workload.yaml": _declaration(name, source, rows, zone, guess),
        "events.sql": _events_sql(f"{name}_rows", rows, guess),
        "expectations.yaml": _EXPECTATIONS,
        "README.md": f"# {name}\n\nWhat the log is, its licence, what to look for.\n",
        f"queries/{kind}_runs.cep": _first_query(guess),
        f"policies/{kind}_gaps.mfotl": _first_policy(guess),
    }


def _column_types(rows: Rows, guess: Guess) -> dict[str, str]:
    """The declared type of each column of the file; one with fields is the text that stands in the file."""
    types: dict[str, str] = {}
    left_out = rows.left_out
    for name, place in rows.places.items():
        stored = rows.table.schema.field(name).type
        if name in left_out:
            continue
        if len(place) > 1:
            types[place[0]] = "string"
        elif name in guess.time.declared:
            types[place[0]] = guess.time.declared[name]
        elif kinds.is_timestamp(stored):
            types[place[0]] = "timestamp"
        else:
            types[place[0]] = "date" if kinds.is_date(stored) else attribute_type_of(stored)
    return types


def _declaration(name: str, source: SourceKeys, rows: Rows, zone: str, guess: Guess) -> str:
    types = _column_types(rows, guess).items()
    columns = "\n".join(f"      {json.dumps(column, ensure_ascii=False)}: {kind}" for column, kind in types)
    attributes = "".join(f"    {key}: {value}?\n" for key, value in guess.attributes.values())
    events = "\n".join(f"  {kind}:\n{attributes}".rstrip() if attributes else f"  {kind}: {{}}" for kind in guess.types)
    lines = "\n".join(f"    {line}" for line in source.lines)
    return f"""title: {name}
owner: data-engineering

sources:
  {name}_rows:
{lines}
    columns:
{columns}

time:
  unit: {guess.time.source.unit}
  zone: {zone}
  ties: concurrent

# A day of the log begins at midnight UTC.
schedule: "0 0 * * *"
start: {guess.first_day}

# `?`: the attribute may be absent.
events:
{events}
"""


def _events_sql(source: str, rows: Rows, guess: Guess) -> str:
    attributes = []
    for column, (name, kind) in guess.attributes.items():
        value = sql_of(rows.places[column], kind)
        if kind == "float" and attribute_type_of(rows.table.schema.field(column).type) == "string":
            number = f"replace({value}, ',', '.')" if holds_commas(rows.table[column]) else value
            value = f"CAST({number} AS DOUBLE)"
        attributes.append(value if value == f"`{name}`" else f"{value} AS `{name}`")
    type_sql = None if guess.type_column is None else sql_of(rows.places[guess.type_column], "string")
    is_text = guess.type_column is None or kinds.is_string(rows.table.schema.field(guess.type_column).type)
    selects = [
        "\n".join(
            [
                "SELECT",
                ",\n".join(
                    f"    {item}"
                    for item in [f"'{name}' AS event_type", f"{guess.time.expression} AS ts", "_row", *attributes]
                ),
                f"FROM {source}",
                *([f"WHERE {type_sql} = {sql_text(text) if is_text else text}"] if type_sql else []),
            ]
        )
        for name, text in guess.types.items()
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
    kind = next(iter(guess.types))
    return f"""-- How many runs of one or more {kind} events does each hour hold?
RETURN COUNT(*)
PATTERN {kind} E+
WITHIN 1 hour
"""


def _first_policy(guess: Guess) -> str:
    kind = next(iter(guess.types))
    return f"""-- Which {kind} came after an hour and more without any?
{kind}() AND NOT ONCE(0,1h) {kind}()
"""
