"""Truths and equivalences as lines: violations for a person, all verdicts as other monitors print them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from textwrap import indent

import pyarrow as pa
import pyarrow.compute as pc

from jobs.log_files.monitored.policies import ToldCauses, Value
from jobs.log_files.monitored.verdicts import VerdictListing
from jobs.log_files.times.log_clock import LogClock

_POINT = ("tp", "ts", "offset", "verdict", "equal_ts", "equal_offset")


class TruthListing(VerdictListing):
    """Lists what is told of a propositional policy. `violations` counts these; a person sees these alone."""

    @cached_property
    def _explained(self) -> dict[tuple[tuple[Value, ...], tuple[int, int]], tuple[int, int]]:
        """For each sub-log and point with a known explanation, the point at which it was told."""
        return {}

    def add(self, batch: pa.RecordBatch) -> None:
        """List further verdicts."""
        false = pc.equal(batch["verdict"], False)
        rows = batch.filter(false) if self.for_person else batch
        self.violations += pc.sum(false).as_py() or 0
        self.list_rows(rows)

    def print_causes(self, rows: pa.Table, causes_of: Callable[[Sequence[Value]], ToldCauses]) -> None:
        """Each violation with its proof; a person is told once what is the same for other points of its episode."""
        if self.options.json:
            for row in rows.to_pylist():
                why = {"why": causes_of(tuple(row.values())).to_dict()} if row["verdict"] is False else {}
                print(json.dumps(row | why, ensure_ascii=False))
            return
        for line, row in zip(self.lines(rows), rows.to_pylist(), strict=True):
            sub_log = tuple(value for name, value in row.items() if name not in _POINT)
            at = (row["ts"], row["offset"])
            if (before := self._explained.get((sub_log, at))) is None:
                causes = causes_of(tuple(row.values()))
                shared = causes.sharing.at if causes.sharing is not None else ()
                self._explained.update({(sub_log, point): at for point in shared})
                text = causes.text(self.clock.time)
            else:
                text = f"as at {self.clock.time(before[0])}" + (f", offset {before[1]}" if before[1] else "")
            print(line, indent(text, "    "), sep="\n", flush=True)

    def lines(self, rows: pa.Table) -> Iterator[str]:
        """As other monitors print verdicts, or for a person."""
        return violations_as_text(rows, self.clock) if self.for_person else as_aerial(rows)


def as_aerial(rows: pa.Table) -> Iterator[str]:
    """A line for each verdict, as Aerial prints it, and Hydra without equivalences.

    >>> columns = {"ts": [1, 2], "offset": [0, 1], "verdict": [False, None], "equal_ts": [None, 2]}
    >>> print(*as_aerial(pa.table({**columns, "equal_offset": [None, 0]})), sep="\\n")
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
