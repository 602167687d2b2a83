"""Asking a whole log in a notebook where a propositional policy holds, and why: truths, equivalences, causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from cep_core.events.logs.time_points import BY_TIMESTAMP
from cep_core.propositional_on_log import PropositionalOnLog
from cep_core.stream_settings import StreamSettings

if TYPE_CHECKING:
    from cep_core.monitoring.shared.why.verdict_causes import Causes


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
    the log, nor with the number of points a stamp. With `resolved` it gives each truth as soon as it and all before it
    are known, and keeps the points that wait for this.

    Raises QueryError, LogError for a text that is no log, TooManyExpressions where the open points depend on the future
    in too many ways. Cost: `cep.explain` of an `.mtl` file says.

    >>> verdicts = monitor_mtl("a UNTIL[0,1] b", "@1 a\\n@2 a\\n@2 a\\n@3 b\\n@4 a b")
    >>> for row in verdicts.to_pylist():
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


def why_mtl(
    formula: str | Path,
    log: str | Path | pa.Table,
    at: tuple[int, int],
    values: Mapping[str, int | float | str] | None = None,
    *,
    end: str = "open",
    points: str = BY_TIMESTAMP,
    for_each: str | Sequence[str] | None = None,
) -> Causes:
    """Why a propositional formula holds, or does not hold, at a point: the smallest proof.

    `at`: the point's `ts`, and its index among the points of equal `ts` of its sub-log. `values`: of the attributes of
    `for_each`, whose sub-log is asked. All else as for `monitor_mtl`. The proof takes the log as complete. The answer
    tells by `holds` whether the formula holds there, by `tree` the proof; of a violation, `sharing` tells which points
    of its episode have the same explanation: their proofs rest on the same atoms at the point itself, the same events
    elsewhere, and the absence of the same atoms.

    Raises what `monitor_mtl` raises, and ValueError for a point that the log lacks or that is not decided yet, and for
    values that are not those of a sub-log. Cost: reading and monitoring the log, then the events in the reach of the
    points of the episode, of which the first 1,000 are looked at.

    >>> print(why_mtl("used IMPLIES NOT ONCE deleted", "@1 used\\n@2 deleted\\n@3 used\\n@9 used", (3, 0)))
    used IMPLIES NOT (ONCE deleted) does not hold at 3
      used at 3
      ONCE deleted holds at 3
        deleted at 2
    the same for 2 points, first at 3, last at 9
    """
    settings = StreamSettings(end=end, points=points, for_each=for_each, with_causes=True)
    return PropositionalOnLog(formula, log, settings).causes(at, values or {})
