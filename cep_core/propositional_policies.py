"""Asking a whole log in a notebook where a propositional policy holds: truths, and equivalences between points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from cep_core.events.logs.time_points import BY_TIMESTAMP
from cep_core.propositional_on_log import PropositionalOnLog, StreamSettings


def monitor_mtl(
    formula: str | Path,
    log: str | Path | BinaryIO | pa.Table,
    *,
    mode: str = "local",
    resolved: bool = False,
    end: str = "open",
    points: str = BY_TIMESTAMP,
    for_each: str | Sequence[str] | None = None,
    batches: bool = False,
) -> pa.Table | pa.RecordBatchReader:
    """The verdicts of a propositional formula on a log, in the order in which they become known.

    `formula`: its text, or the path of a file. `log`: a text with a time-point on each line, `@ts name name ...`, the
    path of such a text, an open binary file with it, which may be a pipe, or a table with `event_type`, `ts` and
    attributes. Time-points of a table are by its column `point` if it has one, else by `points`: `by_timestamp`,
    `by_event` or another column. `for_each`: attributes of a table; every combination of their values is a log of its
    own, and there is a column for each.

    Columns are `ts` and `offset` of the point, `verdict`, `equal_ts`, `equal_offset`: a verdict is true, false, or
    null if it equals that of an earlier point whose own is not known yet. `mode`: in `local` the earlier point has the
    same stamp, in `global` any; `naive` tells no equivalences and keeps all open points. An UNTIL without upper bound
    makes `local` `global`: the mode that is used is in the schema's metadata. `end="open"` leaves points undecided that
    more events could change, `"closed"` takes the log as complete. With `resolved`, columns are `tp`, the number of the
    point, `ts`, `offset`, `verdict` for each decided point, in order.

    `batches` True gives a reader of record batches, which reads a text while it yields: its memory does not grow with
    the log, nor with the number of points a stamp.

    Raises QueryError, LogError for a text that is no log, TooManyExpressions where the open points depend on the future
    in too many ways. Cost: `cep.explain` of an `.mtl` file says.

    >>> told = monitor_mtl("a UNTIL[0,1] b", "@1 a\\n@2 a\\n@2 a\\n@3 b\\n@4 a b")
    >>> for row in told.to_pylist():
    ...     there = "" if row["equal_ts"] is None else f"that of {row['equal_ts']}:{row['equal_offset']}"
    ...     print(f"{row['ts']}:{row['offset']}", there or row["verdict"])
    1:0 False
    2:1 that of 2:0
    2:0 True
    3:0 True
    4:0 True
    """
    asked = PropositionalOnLog(formula, log, StreamSettings(mode, resolved, end, points, for_each))
    return asked.stream() if batches else asked.table()
