"""Truths and equivalences as lines: violations for a person, all verdicts as other monitors print them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from jobs.log_files.log_clock import LogClock
from jobs.log_files.monitored.verdicts import VerdictListing

_POINT = ("tp", "ts", "offset", "verdict", "equal_ts", "equal_offset")


class TruthListing(VerdictListing):
    """Lists what is told of a propositional policy. `found` counts violations; a person sees these alone."""

    def add(self, batch: pa.RecordBatch) -> None:
        """List further verdicts."""
        false = pc.equal(batch["verdict"], False)
        rows = batch.filter(false) if self.for_person else batch
        self.found += pc.sum(false).as_py() or 0
        self.list_rows(rows)

    def lines(self, rows: pa.Table) -> Iterator[str]:
        """As other monitors print verdicts, or for a person."""
        return violations_as_text(rows, self.clock) if self.for_person else as_aerial(rows)


def as_aerial(rows: pa.Table) -> Iterator[str]:
    """A line for each verdict, as Aerial prints it, and Hydra without equivalences.

    >>> told = {"ts": [1, 2], "offset": [0, 1], "verdict": [False, None], "equal_ts": [None, 2]}
    >>> print(*as_aerial(pa.table({**told, "equal_offset": [None, 0]})), sep="\\n")
    1:0 false
    2:1 = 2:0
    """
    for row in rows.to_pylist():
        point = f"{row['ts']}:{row['offset']}"
        if row["verdict"] is None:
            yield f"{point} = {row['equal_ts']}:{row['equal_offset']}"
        else:
            yield f"{point} {'true' if row['verdict'] else 'false'}"


def violations_as_text(rows: pa.Table, clock: LogClock) -> Iterator[str]:
    """A line for each violation: its time, its place among points of this time, its sub-log.

    >>> rows = pa.table({"ts": [5, 5], "offset": [0, 1], "verdict": [False, False], "plane": ["N1", "N2"]})
    >>> print(*violations_as_text(rows, LogClock(None)), sep="\\n")
    5  plane = N1
    5, offset 1  plane = N2
    """
    for row in rows.to_pylist():
        offset = f", offset {row['offset']}" if row["offset"] else ""
        values = ", ".join(f"{name} = {value}" for name, value in row.items() if name not in _POINT)
        yield f"{clock.time(row['ts'])}{offset}  {values}".rstrip()
