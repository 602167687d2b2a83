"""Asking a whole log in a notebook: where a policy is violated, and why (`docs/policies.md`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import pyarrow as pa

from cep_core.events.logs.time_points import BY_TIMESTAMP
from cep_core.frames import Frame, NamedColumns, read_frame
from cep_core.policy_on_log import MonitorSettings, PolicyOnLog

if TYPE_CHECKING:
    from cep_core.monitoring.shared.why.verdict_causes import Causes


def monitor(
    formula: str | Path,
    signature: str | None,
    log: str | Path | BinaryIO | Frame,
    *,
    end: str = "open",
    rewrite: bool = True,
    points: str = BY_TIMESTAMP,
    for_each: str | Sequence[str] | None = None,
    unit: str | None = None,
    ts: str | None = None,
    type: str | None = None,
    batches: bool = False,
) -> Any:
    """The satisfactions of a first-order formula on a whole log: `ts`, `tp`, then one column for each free variable.

    `formula`: MonPoly's text, or the path of a file. `signature`: MonPoly's text; it may be None for a table, whose
    columns are then the arguments. `log`: MonPoly's text, the path of a text (MonPoly's, DejaVu's, or the RV
    competition's CSV), an open binary file with such a text, which may be a pipe, or a table with `event_type`, `ts`
    and attributes: of Arrow, or a data frame (`cep_core.frames`), whose answer is of the same kind; `ts` and `type`
    name other columns for these. Time-points of a table are by its column `point` if it has one, else by `points`:
    `by_timestamp`, `by_event` or another column.
    `end="open"` reports what no later event can change, `"closed"` takes the log as complete. `rewrite` False judges
    safety on the formula as written. `for_each`: attributes; every combination of their values is a log of its own,
    with `tp` of its own. Rows are in order of `tp`, then of values.
    `batches` True gives a stream of record batches. A text is then read in blocks, and memory holds what the formula
    looks back to, not the log (`docs/policies.md`); of a pipe, verdicts come as soon as they are decided.

    Raises QueryError (UnsafeFormula if the formula is not monitorable), LogError for a log that breaks its signature,
    ValueError for a table that does (ints may stand for floats), EvaluationError where a term has no value. Cost:
    reading, then that of each operator's rows.

    >>> late = "P(x) AND NOT ONCE[0,10] Q(x)"
    >>> monitor(late, "P(int) Q(int)", "@1 Q(7) @5 P(7)(8) @20 P(7)").to_pylist()
    [{'ts': 5, 'tp': 1, 'x': 8}, {'ts': 20, 'tp': 2, 'x': 7}]
    """
    if isinstance(log, str | Path) or hasattr(log, "read"):
        settings = MonitorSettings(end, rewrite, points, for_each, unit or "s")
        asked = PolicyOnLog(formula, signature, cast(Any, log), settings)
        return asked.stream() if batches else asked.table()
    frame = read_frame(log, NamedColumns(ts, type), unit)
    settings = MonitorSettings(end, rewrite, points, for_each, frame.unit)
    asked = PolicyOnLog(formula, signature, frame.events, settings)
    return asked.stream() if batches else frame.back(asked.table())


def why(
    formula: str | Path,
    signature: str | None,
    log: str | Path | pa.Table,
    at: tuple[int, int],
    valuation: Mapping[str, int | float | str] | None = None,
    *,
    end: str = "open",
    rewrite: bool = True,
    points: str = BY_TIMESTAMP,
    for_each: str | Sequence[str] | None = None,
    unit: str = "s",
) -> Causes:
    """Why a formula holds, or does not hold, at a point for values of its free variables: the smallest proof.

    `at`: the point's `ts`, and its index among the points of equal `ts`. `valuation`: a value for each free variable,
    and for each attribute of `for_each`, whose sub-log is then asked. All else as for `monitor`. The answer tells by
    `holds` whether the formula holds there, by `tree` the proof; `str` gives a text for people, `to_dict` plain values.

    Raises what `monitor` raises, and ValueError for a point that the log lacks or that is not decided yet, for values
    that are not those of the free variables, and where the verdict hangs on a term without value; TypeError for a
    log in the place of the signature. Cost: reading the log, then the events of the verdict's reach.

    >>> late = "P(x) AND NOT ONCE[0,10] Q(x)"
    >>> print(why(late, "P(int) Q(int)", "@1 Q(7) @5 P(7)(8) @20 P(7)", (20, 0), {"x": 7}))
    P(x) AND NOT (ONCE[0,10] Q(x)) holds for x = 7 at 20
      P(7) at 20
      ONCE[0,10] Q(x) does not hold at 20
        no Q(7) at 20
    """
    if signature is not None and not isinstance(signature, str):
        raise TypeError("why asks a policy: its signature is a text or None; cep.why_match asks why a match is one")
    settings = MonitorSettings(end, rewrite, points, for_each, unit, with_causes=True)
    return PolicyOnLog(formula, signature, log, settings).causes(at, valuation or {})
