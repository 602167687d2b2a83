"""Make the data of the workload `data_usage`: who reads, writes and deletes data in two databases.

    python scripts/make_data_usage.py                                        the week that is bundled
    python scripts/make_data_usage.py --rate 20000000 --days 1 --into FOLDER a day of 20 million events

The log of the real experiment (paper 01, section 7.3) is not public. This log has its events and its rules, and
violations are planted in it: each call prints how many. The same arguments give the same log. A file is one day,
gzipped CSV in order of time, written in pieces of a million rows.

Data have lives. Most are inserted into db1, copied to db2 within 30 hours, and perhaps deleted, from db1 first and from
db2 within 30 hours; some never leave db1 and are deleted from it within 30 hours. Reads are of data that are older than
the log. Planted are, by policy:

- insert: data that are not copied, or 30 hours later;
- delete: data that are deleted from db1 but not from db2, or 30 hours later: half of them older than the log, half
  inserted and copied shortly before;
- custom: reads of data that were inserted since the log began;
- bulk_reading: users who read 60 to 79 different data in less than an hour.

Cost: O(events log events) array operations; about 70 bytes an event in memory, for all days together.
"""

from __future__ import annotations

import argparse
import gzip
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

BUNDLE = Path(__file__).resolve().parents[1] / "workloads" / "data_usage" / "data"
FIRST_DAY = date(2010, 8, 23)
DAY, HOUR = 86_400, 3_600
LIMIT = 30 * HOUR
"""What is due within it is due less than 30 hours later."""
MANY = 60
"""Different data that a user may not read within an hour."""
NAMES = ("select", "insert", "delete", "script_start", "script_end")
SELECT, INSERT, DELETE, START, END = range(5)
DB1, DB2, NO_DB = 1, 2, 0
UNKNOWN = -1
"""The number of data whose name is not known."""
WIDTHS = (np.int64, np.int8, np.int32, np.int8, np.int32, np.int32)
"""Of the columns `ts`, kind, user, database, participant and data."""
CLOCK = np.array([1, 1, 1, 1, 1, 1, 2, 4, 6, 8, 8, 7, 6, 7, 8, 8, 7, 5, 4, 3, 2, 2, 1, 1], float)
"""How busy the hours of a day are, relative to each other."""
PIECE = 1_000_000
"""Rows that are turned into text at a time."""

Numbers = npt.NDArray[np.signedinteger]
Rows = set[tuple[int | str, ...]]
"""Violations: `ts`, then the values of the policy's variables in the order of its columns."""


@dataclass(frozen=True)
class Usage:
    """What to generate: `rate` events a day. Everything else follows from it."""

    seed: int = 1
    rate: int = 20_000
    days: int = 7

    @property
    def begin(self) -> int:
        return int(datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, tzinfo=UTC).timestamp())

    @property
    def end(self) -> int:
        return self.begin + self.days * DAY

    @property
    def users(self) -> int:
        return max(20, self.rate // 100)

    @property
    def participants(self) -> int:
        return max(10, self.rate // 400)

    @property
    def stock(self) -> int:
        """Data that are older than the log, are read, and are never deleted."""
        return max(100, self.rate // 4)

    def share(self, part: float) -> int:
        """A share of the whole log's events."""
        return round(part * self.rate * self.days)


class Draft:
    """Collects events by columns. Numbers new data, and draws what does not matter for the rules."""

    def __init__(self, usage: Usage) -> None:
        self.usage, self.random = usage, np.random.default_rng(usage.seed)
        self.columns: list[list[Numbers]] = [[] for _ in range(6)]
        self._named = usage.stock

    def add(
        self, ts: Numbers, kind: int, db: int, participant: Numbers, data: Numbers, user: Numbers | None = None
    ) -> Numbers:
        """Add events; returns their users, drawn at random unless they are given."""
        who = self.random.integers(self.usage.users, size=len(ts)) if user is None else user
        row = (ts, np.broadcast_to(kind, len(ts)), who, np.broadcast_to(db, len(ts)), participant, data)
        for column, values, width in zip(self.columns, row, WIDTHS, strict=True):
            column.append(values.astype(width))
        return who

    def new_data(self, count: int) -> Numbers:
        self._named += count
        return np.arange(self._named - count, self._named)

    def owners(self, count: int) -> Numbers:
        """Participants: a few have most of the data."""
        return (self.usage.participants * self.random.random(count) ** 2).astype(np.int64)

    def moments(self, count: int) -> Numbers:
        """Moments of the whole log, more of them in busy hours."""
        hour = self.random.choice(24, count, p=CLOCK / CLOCK.sum())
        day = self.random.integers(self.usage.days, size=count)
        return self.usage.begin + day * DAY + hour * HOUR + self.random.integers(HOUR, size=count)

    def soon(self, count: int, mean: int) -> Numbers:
        """Delays of less than 30 hours. One in a hundred is the longest that is allowed."""
        delay = np.minimum(1 + self.random.exponential(mean, count).astype(np.int64), LIMIT - 1)
        return np.where(self.random.random(count) < 0.01, LIMIT - 1, delay)

    def late(self, count: int) -> Numbers:
        """Delays of 30 hours or little more. One in ten is the shortest that is too long."""
        delay = LIMIT + self.random.integers(6 * HOUR, size=count)
        return np.where(self.random.random(count) < 0.1, LIMIT, delay)


def write_lives(draft: Draft) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Data that are treated as the rules say. Returns the copied ones: when they were copied, data, both owners."""
    usage, random = draft.usage, draft.random
    count = usage.share(0.06)
    data, owner, ts = draft.new_data(count), draft.owners(count), draft.moments(count)
    copied = ts + draft.soon(count, 3 * HOUR)
    copier = np.where(random.random(count) < 0.25, (owner + 1) % usage.participants, owner)
    draft.add(ts, INSERT, DB1, owner, data)
    draft.add(copied, INSERT, DB2, copier, data)
    ends = random.random(count) < 0.5
    gone = (copied + random.exponential(36 * HOUR, count).astype(np.int64))[ends]
    draft.add(gone, DELETE, DB1, owner[ends], data[ends])
    draft.add(gone + draft.soon(len(gone), 3 * HOUR), DELETE, DB2, owner[ends], data[ends])

    count = usage.share(0.02)
    short, holder, ts = draft.new_data(count), draft.owners(count), draft.moments(count)
    draft.add(ts, INSERT, DB1, holder, short)
    draft.add(ts + draft.soon(count, 4 * HOUR), DELETE, DB1, holder, short)

    count = usage.share(0.04)
    old, holder, ts = draft.new_data(count), draft.owners(count), draft.moments(count)
    draft.add(ts, DELETE, DB1, holder, old)
    draft.add(ts + draft.soon(count, 6 * HOUR), DELETE, DB2, holder, old)

    # Names are lost in deletions at first and in insertions later, so that the ones are no excuse for the others.
    for kind, half in ((DELETE, 0), (INSERT, 1)):
        count = usage.share(0.005)
        ts = usage.begin + (draft.moments(count) - usage.begin + half * usage.days * DAY) // 2
        draft.add(ts, kind, DB1, draft.owners(count), np.full(count, UNKNOWN))
    return copied, data, owner, copier


def write_scripts(draft: Draft) -> None:
    """Scripts that start and end; the number of a script stands where other events have their data."""
    count = draft.usage.share(0.02)
    ts, script = draft.moments(count), draft.random.integers(40, size=count)
    none = np.full(count, -1)
    draft.add(ts, START, NO_DB, none, script, none)
    draft.add(ts + draft.soon(count, HOUR // 2), END, NO_DB, none, script, none)


def plant_inserts(draft: Draft) -> Rows:
    """Data that are not copied in time."""
    count = draft.usage.share(0.0003)
    data, owner, ts = draft.new_data(count), draft.owners(count), draft.moments(count)
    user = draft.add(ts, INSERT, DB1, owner, data)
    later = draft.random.random(count) < 0.5
    draft.add((ts + draft.late(count))[later], INSERT, DB2, owner[later], data[later])
    return _rows(ts, user, owner, data)


def plant_deletes(draft: Draft) -> Rows:
    """Data that stay in db2: older than the log, or copied less than 30 hours before or after they leave db1."""
    count = draft.usage.share(0.0003)
    data, owner, ts = draft.new_data(count), draft.owners(count), draft.moments(count)
    fresh = draft.random.random(count) < 0.5
    inserted = (ts - draft.soon(count, 5 * HOUR))[fresh]
    between = draft.random.integers(1, LIMIT, size=len(inserted))
    draft.add(inserted, INSERT, DB1, owner[fresh], data[fresh])
    draft.add(inserted + between, INSERT, DB2, owner[fresh], data[fresh])
    user = draft.add(ts, DELETE, DB1, owner, data)
    later = draft.random.random(count) < 0.5
    draft.add((ts + draft.late(count))[later], DELETE, DB2, owner[later], data[later])
    return _rows(ts, user, owner, data)


def plant_reads(draft: Draft, lives: tuple[Numbers, Numbers, Numbers, Numbers]) -> Rows:
    """Reads of data that were inserted into both databases, by one participant or by two."""
    usage, random = draft.usage, draft.random
    copied, data, owner, copier = (column[lives[0] < usage.end] for column in lives)
    picked = random.integers(len(data), size=usage.share(0.0005) if len(data) else 0)
    ts = copied[picked] + random.exponential(36 * HOUR, len(picked)).astype(np.int64)
    reader = draft.owners(len(picked))
    draft.add(ts, SELECT, DB1, reader, data[picked])
    return {
        (int(when), f"p{by}", f"d{what}", f"p{of}")
        for inserted_by in (owner, copier)
        for when, by, of, what in zip(ts, reader, inserted_by[picked], data[picked], strict=True)
    }


def plant_bulk_reading(draft: Draft) -> Rows:
    """Users who do nothing else, each for less than an hour."""
    usage, random = draft.usage, draft.random
    rows: Rows = set()
    for user, begin in enumerate(draft.moments(usage.share(0.00002)).tolist(), usage.users):
        count = int(random.integers(MANY, MANY + 20))
        ts = begin + np.sort(random.integers(HOUR, size=count))
        data = (random.integers(usage.stock) + np.arange(count)) % usage.stock
        draft.add(ts, SELECT, DB2, draft.owners(count), data, np.full(count, user))
        so_far = np.searchsorted(ts, ts, side="right")
        rows |= {(when, n, f"u{user}") for when, n in zip(ts.tolist(), so_far.tolist(), strict=True) if n >= MANY}
    return rows


def fill(draft: Draft) -> None:
    """Reads of old data, some much more than others, until each day has its number of events."""
    usage, random = draft.usage, draft.random
    day = (np.concatenate(draft.columns[0]) - usage.begin) // DAY
    present = np.bincount(day[(day >= 0) & (day < usage.days)], minlength=usage.days)
    for number, missing in enumerate(np.maximum(0, usage.rate - present).tolist()):
        hour = random.choice(24, missing, p=CLOCK / CLOCK.sum())
        ts = usage.begin + number * DAY + hour * HOUR + random.integers(HOUR, size=missing)
        data = (usage.stock * random.random(missing) ** 3).astype(np.int64)
        first = random.random(missing) < 0.7
        for database, chosen in ((DB1, first), (DB2, ~first)):
            draft.add(ts[chosen], SELECT, database, draft.owners(int(chosen.sum())), data[chosen])


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


def _rows(ts: Numbers, user: Numbers, participant: Numbers, data: Numbers) -> Rows:
    columns = (column.tolist() for column in (ts, user, participant, data))
    return {(when, f"u{by}", f"p{of}", f"d{what}") for when, by, of, what in zip(*columns, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=Usage.rate, help="events a day (default: 20,000)")
    parser.add_argument("--days", type=int, default=Usage.days, help="days (default: 7)")
    parser.add_argument("--seed", type=int, default=Usage.seed)
    parser.add_argument("--into", type=Path, default=None, help="target folder (default: the bundle's own)")
    options = parser.parse_args()
    usage = Usage(options.seed, options.rate, options.days)
    if options.into is None and usage != Usage():
        parser.error("another log than the bundle needs --into FOLDER")
    if min(options.rate, options.days) < 1:
        parser.error("--rate and --days are positive")
    columns, planted = generate(usage)
    write_days(usage, columns, options.into or BUNDLE)
    told = ", ".join(f"{len(rows):,} of {policy}" for policy, rows in planted.items())
    print(f"{options.into or BUNDLE}: {len(columns[0]):,} events; violations that the log decides: {told}")


if __name__ == "__main__":
    main()
