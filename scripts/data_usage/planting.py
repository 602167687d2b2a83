"""The planted violations of each policy, with the rows that a monitor must find."""

from __future__ import annotations

import numpy as np

from data_usage.draft import DB1, DB2, DELETE, HOUR, INSERT, LIMIT, SELECT, Draft, Numbers

MANY = 60
"""Different data that a user may not read within an hour."""
Rows = set[tuple[int | str, ...]]
"""Violations: `ts`, then the values of the policy's variables in the order of its columns."""


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


def _rows(ts: Numbers, user: Numbers, participant: Numbers, data: Numbers) -> Rows:
    columns = (column.tolist() for column in (ts, user, participant, data))
    return {(when, f"u{by}", f"p{of}", f"d{what}") for when, by, of, what in zip(*columns, strict=True)}
