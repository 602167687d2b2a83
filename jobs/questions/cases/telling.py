"""A failed case for a person: what was expected, what came, row by row, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jobs.questions.cases.expected import ExpectedRow
from jobs.questions.cases.judging import CaseOutcome, Row
from jobs.questions.reasons import why_empty, why_no_row, why_row
from jobs.questions.result_columns import ColumnKind, exact, further, kinds_of
from jobs.reports.words.values import shown

ROWS = 10
"""Rows of one case that are told."""
EXPLAINED = 3
"""Rows of one case that are explained."""
_PLAIN = ("match_id", "first_ts", "last_ts")
"""Columns of a row that came which say nothing that its events do not say."""


def failure_lines(outcome: CaseOutcome) -> Iterator[str]:
    """Lines about a case that failed."""
    case = outcome.case
    yield f"{case.query.name}: {case.title} ({case.place})"
    if outcome.total is not None:
        wanted, came = outcome.total
        yield f"  total: expected {wanted:,}, came {'a number that is not known' if came is None else f'{came:,}'}"
    rows = [*outcome.different, *((None, row) for row in outcome.forbidden)]
    for number, (wanted_row, row) in enumerate(rows[:ROWS]):
        yield from _row_lines(outcome, wanted_row, row, explained=number < EXPLAINED)
    if len(rows) > ROWS:
        yield f"  ... {len(rows) - ROWS} more"
    if outcome.total is not None and not rows:
        came_rows = outcome.answer.rows.slice(0, ROWS).to_pylist()
        for number, row in enumerate(came_rows):
            yield f"  came        {_row(outcome, row)}"
            if number < EXPLAINED:
                yield from _indented(why_row(outcome.log, row))
        if not came_rows:
            yield from _indented(why_empty(outcome.log))


def _row_lines(outcome: CaseOutcome, wanted: ExpectedRow | None, row: Row | None, *, explained: bool) -> Iterator[str]:
    if wanted is not None and row is not None:
        yield f"  expected    {_expected(outcome, wanted)}"
        yield f"  came        {_row(outcome, {name: row[name] for name in wanted.values}, row)}"
    elif wanted is not None:
        yield f"  missing     {_expected(outcome, wanted)}"
    elif row is not None:
        forbidden = any(row is came for came in outcome.forbidden)
        yield f"  {'forbidden ' if forbidden else 'unexpected'}  {_row(outcome, row)}"
    if not explained:
        return
    if row is not None:
        yield from _indented(why_row(outcome.log, row))
    elif wanted is not None:
        known = {name: _plain(value.value) for name, value in wanted.values.items()}
        yield from _indented(why_no_row(outcome.log, known))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)


def _expected(outcome: CaseOutcome, row: ExpectedRow) -> str:
    return ", ".join(f"{name} {_shown(outcome, value.kind, value.value)}" for name, value in row.values.items())


def _row(outcome: CaseOutcome, chosen: Mapping[str, Any], row: Row | None = None) -> str:
    """A row that came: the columns that the case names, else those that tell it from others."""
    kinds = kinds_of(outcome.case.query)
    names = [name for name in further([*chosen]) if name not in _PLAIN]
    return ", ".join(f"{name} {_shown(outcome, kinds[name], exact(row or chosen, name))}" for name in names)


def _shown(outcome: CaseOutcome, kind: ColumnKind, value: Any) -> str:
    if kind is ColumnKind.EVENTS:
        rows = [] if value is None else list(value) if isinstance(value, list | tuple) else [value]
        return " ".join(map(str, rows)) or "none"
    if kind is ColumnKind.MOMENT and value is not None:
        return outcome.log.clock.time(int(value))
    if kind is ColumnKind.WHOLE and value is not None:
        return f"{int(value):,}"
    return "none" if value is None else shown(value)
