"""What an edit changes, for a person: the edited lines, numbers of each day, and a few rows with reasons."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from cep_core.language.bound_query import AGGREGATION, MATCHING
from jobs.log_files.matches import LogMatches
from jobs.questions.asked_log import AskedLog
from jobs.questions.changes.comparing import ComparedDay
from jobs.questions.changes.former_text import FormerText
from jobs.questions.changes.row_changes import WINDOWS, Row, RowKeys
from jobs.questions.changes.single_effects import SingleEffects
from jobs.questions.reasons import why_no_row
from jobs.questions.result_columns import exact, further, moments
from jobs.questions.trends import trends_of, why_no_trend
from jobs.reports.words.quantities import counted
from jobs.reports.words.values import listed, shown

_REASONS = 6
"""Lines of a reason."""


def edited_lines(former: FormerText, present: str) -> Iterator[str]:
    """The lines that differ, with - and +."""
    lines = difflib.unified_diff(former.text.splitlines(), present.splitlines(), lineterm="", n=0)
    return (f"  {line[0]} {line[1:]}" for line in list(lines)[2:] if not line.startswith("@@"))


def table_of(days: Sequence[ComparedDay]) -> tuple[list[str], list[list[object]]]:
    """A row for each day, and one for all."""
    names = ["day", "before", "after", "added", "gone", "changed", ""]
    rows: list[list[object]] = [
        [
            str(each.day),
            *(_number(total) for total in each.totals),
            *(_number(many) for many in _counts(each)),
            "" if each.until is None else f"compared up to {each.after.clock.time(each.until)}",
        ]
        for each in days
    ]
    if len(rows) > 1:
        totals = [_sum([each.totals[side] for each in days]) for side in (0, 1)]
        rows.append(["all", *totals, *(_sum(many) for many in zip(*map(_counts, days), strict=True)), ""])
    return names, rows


def _counts(each: ComparedDay) -> tuple[int, int, int]:
    changes = each.changes
    return len(changes.added), len(changes.gone), len(changes.changed)


def _sum(totals: Sequence[int | None]) -> str:
    return _number(None if None in totals else sum(total or 0 for total in totals))


def _number(total: int | None) -> str:
    return "?" if total is None else f"{total:,}"


class Examples:
    """A few rows of each kind of change, as many of each day as of any other, with reasons. `effects`: of the single
    edits of an aggregation."""

    def __init__(
        self, days: Sequence[ComparedDay], keys: RowKeys, limit: int, effects: SingleEffects | None = None
    ) -> None:
        self.effects = effects
        self.days = days
        self.keys = keys
        self.limit = limit

    def lines(self) -> Iterator[str]:
        """Lines."""
        added = self._few([[(each, row) for row in each.changes.added] for each in self.days])
        yield from self._kind("added", sum(len(each.changes.added) for each in self.days), len(added))
        for each, row in added:
            yield from self._row(each, each.after, row)
            yield from self._reason("before", each, each.before, row)
        gone = self._few([[(each, row) for row in each.changes.gone] for each in self.days])
        yield from self._kind("gone", sum(len(each.changes.gone) for each in self.days), len(gone))
        for each, row in gone:
            yield from self._row(each, each.before, row)
            yield from self._reason("now", each, each.after, row)
        changed = self._few([[(each, pair) for pair in each.changes.changed] for each in self.days])
        yield from self._kind("changed", sum(len(each.changes.changed) for each in self.days), len(changed))
        for each, (before, after) in changed:
            named = {*self.keys.names, *WINDOWS} if self.keys.names else {*after}
            yield from self._row(each, each.after, {name: value for name, value in after.items() if name in named})
            for name in self.keys.different(before, after):
                alone = self._alone(each, before, name)
                yield f"      {name}: {_value(exact(before, name))} -> {_value(exact(after, name))}{alone}"
            yield from self._trends(each, after)

    def _few(self, of_days: Sequence[Sequence[Any]]) -> list[Any]:
        """One of each day, then a second of each, and so on; of a day those that stand far apart."""
        spread = [spread_out(rows, self.limit) for rows in of_days]
        few = [rows[place] for place in range(self.limit) for rows in spread if place < len(rows)]
        return few[: self.limit]

    def _kind(self, name: str, many: int, few: int) -> Iterator[str]:
        if many and few:
            yield f"{name}: {counted(many, 'row')}" + (f", {few} of them here (--limit)" if few < many else "")

    def _row(self, each: ComparedDay, log: AskedLog, row: Row) -> Iterator[str]:
        """A row; of a match its time line."""
        if log.bound.kind == MATCHING and all(variable.name in row for variable in log.bound.query.positive):
            matches = LogMatches(log.bound.query, log.log)
            head, *lines = matches.lines(0, {"first_ts": 0, "last_ts": 0, **row})
            yield f"  {each.day}  {head.partition(': ')[2]}"
            yield from (f"    {line}" for line in lines)
            return
        of_time = moments(log.bound.windows_of_events)
        at = {name: log.clock.time(int(row[name])) for name in of_time & {*row} if row[name] is not None}
        cells = [f"{name} {at.get(name) or _value(row[name])}" for name in further([*row])]
        yield f"  {each.day}  {', '.join(cells)}"

    def _reason(self, when: str, each: ComparedDay, log: AskedLog, row: Row) -> Iterator[str]:
        """Why the other version does not have the row."""
        if log.bound.kind == AGGREGATION:
            yield from self._alike(each, row, there=when == "before")
            yield from self._trends(each, row)
            return
        lines = [*why_no_row(log, row)]
        failing = [line.strip() for line in lines if line.strip().startswith("fails ")]
        for number, line in enumerate((failing or lines)[:_REASONS]):
            yield f"      {f'{when}:' if number == 0 else ' ' * (len(when) + 1)} {line}"

    def _alone(self, each: ComparedDay, row: Row, name: str) -> str:
        """The value of a changed row by each edit alone."""
        edits = self.effects.edits if self.effects and each.day in self.effects.before.rows else ()
        rows = [edit.row_of(each.day, row) for edit in edits]
        values = [
            f"edit {number} alone: {'no row' if own is None else _value(exact(own, name))}"
            for number, own in enumerate(rows, 1)
            if own is None or name in own
        ]
        return f" ({', '.join(values)})" if values else ""

    def _alike(self, each: ComparedDay, row: Row, *, there: bool) -> Iterator[str]:
        """The edits that alone bring a row (`there`), or take it away."""
        if self.effects is None or not self.effects.edits or each.day not in self.effects.before.rows:
            return
        numbered = enumerate(self.effects.edits, 1)
        edits = [str(number) for number, edit in numbered if (edit.row_of(each.day, row) is not None) == there]
        yield f"      by edit {' or '.join(edits)} alone, too" if edits else "      by no edit alone"

    def _trends(self, each: ComparedDay, row: Row) -> Iterator[str]:
        """How many trends of a row's window and group are gone and new, and why the first of each is."""
        before, now = trends_of(each.before, row), trends_of(each.after, row)
        if before is None or now is None or not (before.whole and now.whole):
            return
        for word, some, others, log, when in (
            ("gone", before, now, each.after, "now"),
            ("new", now, before, each.before, "before"),
        ):
            differing = [rows for rows in some.paths if rows not in others.paths]
            if differing:
                reasons = [*why_no_trend(log, differing[0], row.get("window_end"))][:_REASONS]
                rows = listed([str(seq) for seq in differing[0]], 8)
                yield f"      {counted(len(differing), f'{word} trend')}, such as rows {rows}"
                yield from (f"        {f'{when}:' if place == 0 else ''} {line}" for place, line in enumerate(reasons))


def spread_out(rows: Sequence[Any], most: int) -> list[Any]:
    """Some rows, the first among them, with as many between one and the next: neighbours in a listing are alike.

    >>> spread_out("abcdefg", 3), spread_out("ab", 3)
    (['a', 'c', 'e'], ['a', 'b'])
    """
    few = min(most, len(rows))
    return [rows[place * len(rows) // few] for place in range(few)]


def _value(value: Any) -> str:
    """A number with all its digits."""
    return f"{int(value):,}" if isinstance(value, int | Decimal) and not isinstance(value, bool) else shown(value)
