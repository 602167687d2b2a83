"""Evaluates a case by the engine, in this process, and compares the answer with what is expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cep_core.language.bound_query import AGGREGATION
from jobs.questions.asked_log import Answer, AskedLog
from jobs.questions.cases.case_file import Case
from jobs.questions.cases.expected import ExpectedRow
from jobs.questions.cases.row_pairs import nearest_pairs, paired
from jobs.workload.declaration import Workload

Row = Mapping[str, Any]


@dataclass(frozen=True)
class CaseOutcome:
    """The answer to a case. Pairs of an expected row and the row that came in its place: one of them may be None."""

    case: Case
    log: AskedLog
    answer: Answer
    different: tuple[tuple[ExpectedRow | None, Row | None], ...] = ()
    forbidden: tuple[Row, ...] = ()
    """Rows that came and match one of `without`."""
    total: tuple[int, int | None] | None = None
    """The number that is expected and the number that came, if they differ."""

    @property
    def passed(self) -> bool:
        """Whether the answer is the expected one."""
        return not self.different and not self.forbidden and self.total is None


def asked(workload: Workload, case: Case) -> AskedLog:
    """A case's question and events."""
    return AskedLog(workload, case.query.bound, case.query.evaluator, case.events)


def judge(workload: Workload, case: Case) -> CaseOutcome:
    """The outcome of a case. Raises WorkExhausted."""
    log = asked(workload, case)
    answer = log.answer()
    rows, expected = answer.rows.to_pylist(), case.expected
    different: list[tuple[ExpectedRow | None, Row | None]] = []
    if expected.rows is not None:
        different += _different(case, expected.rows, rows)
    among = paired(expected.among, rows)
    different += [(wanted, None) for number, wanted in enumerate(expected.among) if number not in among]
    forbidden = tuple(row for row in rows if any(wanted.agrees(row) for wanted in expected.without))
    came = answer.total() if case.expected.total is not None else None
    total = None if expected.total == came else (expected.total or 0, came)
    return CaseOutcome(case, log, answer, tuple(different), forbidden, total)


def _different(
    case: Case, expected: tuple[ExpectedRow, ...], rows: list[Row]
) -> list[tuple[ExpectedRow | None, Row | None]]:
    """What is missing and what came unexpected; of an aggregation, a row whose numbers differ is one pair."""
    pairs = paired(expected, rows)
    missing = [wanted for number, wanted in enumerate(expected) if number not in pairs]
    unexpected = [row for place, row in enumerate(rows) if place not in set(pairs.values())]
    if case.query.bound.kind == AGGREGATION:
        return nearest_pairs(missing, unexpected)
    return [*((wanted, None) for wanted in missing), *((None, row) for row in unexpected)]
