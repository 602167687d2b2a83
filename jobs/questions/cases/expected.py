"""What a case expects: all rows of the answer, rows among them, rows that must not be there, and the exact number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cep_core.events.schema import AttributeType
from cep_core.language.bound_query import AGGREGATION, POLICY
from jobs.questions.cases.written_rows import WrittenRow, WrittenValue, read_rows
from jobs.questions.cases.written_values import CaseClock, Value, decimal, digits_behind_point, typed_value, whole
from jobs.questions.result_columns import ColumnKind, exact, kinds_of
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.files.problems import Problems, brief, kind, nearest

NONE = "none"
"""What is written where no row is expected."""


@dataclass(frozen=True)
class ExpectedValue:
    """A value of one column; None: the answer has none there. `digits`: behind the point, as written."""

    kind: ColumnKind
    value: Value | tuple[int, ...] | None
    digits: int | None = None

    def agrees(self, came: Any) -> bool:
        """Whether an answer's value is this one. A decimal number is compared in the digits that are written.

        >>> ExpectedValue(ColumnKind.DECIMAL, 66.67, 2).agrees(200 / 3)
        True
        >>> ExpectedValue(ColumnKind.EVENTS, (2,)).agrees(2), ExpectedValue(ColumnKind.EVENTS, (2, 3)).agrees([2, 4])
        (True, False)
        """
        if self.value is None or came is None:
            return self.value is None and (came is None or came == [])
        if isinstance(self.value, tuple):
            return self.value == tuple(came if isinstance(came, list) else [came])
        if self.kind is ColumnKind.DECIMAL:
            wanted = float(self.value)
            if self.digits is not None:
                return bool(round(float(came), self.digits) == wanted)
            return bool(abs(float(came) - wanted) <= 1e-9 * max(abs(wanted), abs(float(came))))
        return bool(came == self.value)


@dataclass(frozen=True)
class ExpectedRow:
    """The columns of a row that a case names."""

    values: Mapping[str, ExpectedValue]

    def agrees(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of the answer has these values; other columns do not count."""
        return all(value.agrees(exact(row, name)) for name, value in self.values.items())


@dataclass(frozen=True)
class Expected:
    """What must come. None: nothing is said about it."""

    rows: tuple[ExpectedRow, ...] | None = None
    """All rows of the answer, in any order."""
    among: tuple[ExpectedRow, ...] = ()
    without: tuple[ExpectedRow, ...] = ()
    total: int | None = None
    """The exact number of matches or violations, listed or not."""


class ExpectedAnswer:
    """Reads what a case of a query expects. `events`: how many are given, which rows of the answer refer to."""

    def __init__(self, problems: Problems, query: WorkloadQuery, clock: CaseClock, events: int) -> None:
        self.problems = problems
        self.query = query
        self.kinds = kinds_of(query)
        self.clock = clock
        self.events = events

    def read(self, where: str, value: Any) -> Expected:
        """What `expect` says: `none`, rows, or `rows` (`violations`), `among`, `without` and `total` by name."""
        if not isinstance(value, Mapping):
            return Expected(rows=self._rows(where, value))
        policy = self.query.bound.kind == POLICY
        rows, wrong = ("violations", "rows") if policy else ("rows", "violations")
        if wrong in value:
            whose = "a policy has violations" if policy else "a query has rows"
            self.problems.add(where, f"'{wrong}': {whose}; write '{rows}'", wrong)
        if "total" in value and self.query.bound.kind == AGGREGATION:
            self.problems.add(where, "'total': an aggregation has rows, and no number of matches", "total")
        section = self.problems.section(where, value, (), (rows, wrong, "among", "without", "total"))
        if not value:
            self.problems.add(where, f"expected {rows}, among, without or total")
        items = section.items
        for name in items:
            if items[name] is None:
                self.problems.add(section.at(name), "is empty; `none` says that there is no row")
            elif name in ("among", "without") and items[name] in (NONE, []):
                self.problems.add(section.at(name), "says nothing without a row; leave it out")
        return Expected(
            self._rows(section.at(rows), items[rows]) if rows in items else None,
            self._rows(section.at("among"), items["among"]) if "among" in items else (),
            self._rows(section.at("without"), items["without"]) if "without" in items else (),
            self._total(section.at("total"), items["total"]) if "total" in items else None,
        )

    def _total(self, where: str, value: Any) -> int | None:
        if value is None:
            return None
        if not isinstance(value, str) or not value.isdecimal():
            given = brief(value) if isinstance(value, str) else kind(value)
            self.problems.add(where, f"expected a number of matches such as 3, found {given}")
            return None
        return int(value)

    def _rows(self, where: str, value: Any) -> tuple[ExpectedRow, ...]:
        if value is None or value == NONE or value == []:
            return ()
        file = where.partition(": ")[0]
        rows = read_rows(self.problems, where, value)
        for name, place in {name: value.of_name for row in rows for name, value in row.values.items()}.items():
            if name not in self.kinds:
                hint = nearest(name, [*self.kinds])
                self.problems.point(file, place(), f"{self.query.name} has no column {brief(name)}; {hint}")
        if isinstance(value, str) and not rows:
            self.problems.add(where, "expected rows below a header, or `none`")
        return tuple(self._row(file, row) for row in rows)

    def _row(self, file: str, row: WrittenRow) -> ExpectedRow:
        return ExpectedRow(
            {
                name: self._value(file, self.kinds[name], name, written)
                for name, written in row.values.items()
                if name in self.kinds
            }
        )

    def _value(self, file: str, of: ColumnKind, name: str, written: WrittenValue) -> ExpectedValue:
        if written.text is None:
            return ExpectedValue(of, None)
        try:
            return ExpectedValue(of, self._typed(of, written.text), digits_behind_point(written.text))
        except ValueError as expected:
            message = f"expected {expected} in '{name}', found {brief(written.text)}"
            self.problems.point(file, written.place(), message)
            return ExpectedValue(of, None)

    def _typed(self, of: ColumnKind, text: str) -> Value | tuple[int, ...]:
        if of is ColumnKind.EVENTS:
            return self._events(text)
        if of is ColumnKind.MOMENT:
            return self.clock.moment(text)
        if of is ColumnKind.WHOLE:
            if not text.lstrip("+-").isdecimal():
                raise ValueError("a whole number such as 12")
            return int(text)
        if of is ColumnKind.DECIMAL:
            return decimal(text)
        return typed_value(AttributeType.BOOL, text) if of is ColumnKind.TRUTH else text

    def _events(self, text: str) -> tuple[int, ...]:
        try:
            rows = tuple(whole(word) for word in text.split())
        except ValueError:
            raise ValueError(of_events(self.events)) from None
        if not all(1 <= row <= self.events for row in rows):
            raise ValueError(of_events(self.events))
        return rows


def of_events(events: int) -> str:
    """What names events of a case."""
    return f"rows of the given events, from 1 to {events}, such as {'1' if events < 2 else '1 2'}"
