"""The texts of a first workload folder, as a person would write them. Guesses are in them as plain lines."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.types as kinds

from jobs.log_files.drafts.guess import Guess, attribute_type_of
from jobs.workload.operating_days import UNITS


def texts_of(name: str, path: Path, form: str, sample: pa.Table, guess: Guess) -> dict[str, str]:
    """For each file of the folder its text."""
    kind = guess.types[0].lower()
    return {
        "workload.yaml": _declaration(name, path, form, sample, guess),
        "events.sql": _events_sql(f"{name}_rows", sample, guess),
        "expectations.yaml": _EXPECTATIONS,
        "README.md": f"# {name}\n\nWhat the log is, its licence, what to look for.\n",
        f"queries/{kind}_runs.cep": _first_query(guess),
        f"policies/{kind}_gaps.mfotl": _first_policy(guess),
    }


def _column_type(field: pa.Field, guess: Guess) -> str:
    if field.name in guess.time.declared:
        return guess.time.declared[field.name]
    if kinds.is_timestamp(field.type):
        return "timestamp"
    return "date" if kinds.is_date(field.type) else attribute_type_of(field.type)


def _declaration(name: str, path: Path, form: str, sample: pa.Table, guess: Guess) -> str:
    columns = "\n".join(f'      "{field.name}": {_column_type(field, guess)}' for field in sample.schema)
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
  unit: {guess.time.source.unit}
  zone: UTC
  ties: concurrent

# A day of the log begins at midnight UTC.
schedule: "0 0 * * *"
start: {_start(guess)}

# `?`: the attribute may be absent.
events:
{events}
"""


def _start(guess: Guess) -> str:
    seconds = guess.span.first // UNITS[guess.time.source.unit]
    return str(date.fromordinal(date(1970, 1, 1).toordinal() + seconds // 86_400))


def _events_sql(source: str, sample: pa.Table, guess: Guess) -> str:
    attributes = [
        f"CAST(`{name}` AS DOUBLE) AS `{name}`"
        if of == "float" and attribute_type_of(sample[name].type) == "string"
        else f"`{name}`"
        for name, of in guess.attributes.items()
    ]
    selects = [
        "\n".join(
            [
                "SELECT",
                ",\n".join(
                    f"    {item}"
                    for item in [f"'{t}' AS event_type", f"{guess.time.expression} AS ts", "_row", *attributes]
                ),
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
