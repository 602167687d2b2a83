"""The usual events: data that are treated as the rules say, scripts that start and end, reads of old data."""

from __future__ import annotations

import numpy as np

from data_usage.draft import (
    CLOCK,
    DAY,
    DB1,
    DB2,
    DELETE,
    END,
    HOUR,
    INSERT,
    NO_DB,
    SELECT,
    START,
    UNKNOWN,
    Draft,
    Numbers,
)


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
