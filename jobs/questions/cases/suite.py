"""All cases of a workload, judged one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from cep_core.language.budget import WorkExhausted
from jobs.questions.cases.case_file import read_case_files
from jobs.questions.cases.judging import judge
from jobs.questions.cases.telling import failure_lines
from jobs.reports.words.quantities import counted
from jobs.reports.words.values import listed
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload


@dataclass(frozen=True)
class Suite:
    """What judging the cases of a workload gave: lines about those that failed, and how many passed, by query."""

    failures: tuple[tuple[str, ...], ...]
    passed: Mapping[str, int]
    without: tuple[str, ...]
    """Queries that have no case."""

    @property
    def summary(self) -> str:
        """One line."""
        passed, failed = sum(self.passed.values()), len(self.failures)
        lacking = f"; no case of {listed(list(self.without))}" if self.without else ""
        if not passed and not failed:
            return "no case: `trendmill test NAME --record QUERY --day D` writes a first one"
        failing = f"{counted(failed, 'case')} failed, " if failed else ""
        return f"{failing}{counted(passed, 'case')} passed{lacking}"


def judge_all(workload: Workload, compiled: Mapping[str, WorkloadQuery], only: Collection[str] | None = None) -> Suite:
    """Judge the cases of all queries, or of some. Raises WorkloadError for wrong case files."""
    cases = read_case_files(workload, compiled, only)
    failures: list[tuple[str, ...]] = []
    passed: dict[str, int] = {}
    for case in cases:
        try:
            outcome = judge(workload, case)
        except WorkExhausted as refusal:
            failures.append((f"{case.query.name}: {case.title} ({case.place})", f"  {refusal}"))
            continue
        if outcome.passed:
            passed[case.query.name] = passed.get(case.query.name, 0) + 1
        else:
            failures.append(tuple(_lines(failure_lines(outcome))))
    asked = {case.query.name for case in cases}
    return Suite(tuple(failures), passed, tuple(name for name in only or compiled if name not in asked))


def _lines(parts: Iterator[str]) -> Iterator[str]:
    return (line for part in parts for line in part.splitlines())
