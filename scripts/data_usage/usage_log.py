"""The whole log: usual events and planted violations in order of time, as columns, as rows of text, as files.

Cost: O(events log events) array operations, for all days together.
"""

from __future__ import annotations

import gzip
from datetime import timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from data_usage.draft import DAY, END, FIRST_DAY, LIMIT, START, UNKNOWN, Draft, Numbers, Usage
from data_usage.planting import Rows, plant_bulk_reading, plant_deletes, plant_inserts, plant_reads
from data_usage.usual import fill, write_lives, write_scripts

NAMES = ("select", "insert", "delete", "script_start", "script_end")
PIECE = 1_000_000
"""Rows that are turned into text at a time."""


def generate(usage: Usage) -> tuple[list[Numbers], dict[str, Rows]]:
    """The log's columns `ts`, kind, user, database, participant and data, in order of time; and what is planted in it.

    The violations are those that the log decides: what is due after its end is still open.
    """
    draft = Draft(usage)
    lives = write_lives(draft)
    write_scripts(draft)
    planted = {
        "insert": plant_inserts(draft),
        "delete": plant_deletes(draft),
        "custom": plant_reads(draft, lives),
        "bulk_reading": plant_bulk_reading(draft),
    }
    fill(draft)
    ts = np.concatenate(draft.columns[0])
    order = np.argsort(ts, kind="stable")
    order = order[slice(*np.searchsorted(ts[order], [usage.begin, usage.end]).tolist())]
    kept = [np.concatenate(parts)[order] for parts in draft.columns]
    ends = {"insert": int(kept[0][-1]) - LIMIT + 1, "delete": int(kept[0][-1]) - LIMIT + 1}
    return kept, {
        policy: {row for row in rows if int(row[0]) < ends.get(policy, usage.end)} for policy, rows in planted.items()
    }


def as_text(columns: list[Numbers]) -> pa.Table:
    """Rows of the files: names instead of numbers. A script's event has a script and nothing else."""
    ts, kind, user, database, participant, data = columns
    of_script = (kind == START) | (kind == END)
    return pa.table(
        {
            "ts": ts,
            "event": pa.array(NAMES).take(pa.array(kind)),
            "user": _named("u", user, of_script),
            "db": _named("db", database, of_script),
            "participant": _named("p", participant, of_script),
            "data": pc.if_else(pa.array(~of_script & (data == UNKNOWN)), "[unknown]", _named("d", data, of_script)),
            "script": _named("s", data, ~of_script),
        }
    )


def write_days(usage: Usage, columns: list[Numbers], into: Path) -> None:
    """Write a file for each day: usage-2010-08-23.csv.gz and so on."""
    options = pa.csv.WriteOptions(include_header=False, quoting_style="none")
    into.mkdir(parents=True, exist_ok=True)
    for number in range(usage.days):
        path = into / f"usage-{FIRST_DAY + timedelta(days=number)}.csv.gz"
        begin = usage.begin + number * DAY
        first, last = np.searchsorted(columns[0], [begin, begin + DAY]).tolist()
        with path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            packed.write(",".join(as_text([column[:0] for column in columns]).column_names).encode() + b"\n")
            for start in range(first, last, PIECE):
                piece = as_text([column[start : min(last, start + PIECE)] for column in columns])
                text = pa.BufferOutputStream()
                pa.csv.write_csv(piece, text, options)
                packed.write(text.getvalue())


def _named(prefix: str, numbers: Numbers, absent: npt.NDArray[np.bool_]) -> pa.Array:
    return pc.binary_join_element_wise(prefix, pa.array(numbers, mask=absent).cast(pa.string()), "")
