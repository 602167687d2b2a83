"""The case files of a workload: `cases/<query>.yaml`, read strictly, with the place of every problem.

    - case: two airlines are no contagion
      day: 2013-03-08                 # of times without a day; default: the log's first
      same: {origin: LGA}             # what all events have that do not say otherwise
      given: |
        type,         ts,    carrier, delay_min
        Departure,    10:00, MQ,      70
        Cancellation, 10:30, MQ,
      expect: none

Cases are no part of a workload's definition: an edit of them makes no result stale, and a night does not read them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from jobs.questions.cases.expected import Expected, ExpectedAnswer
from jobs.questions.cases.given import GivenEvents
from jobs.questions.cases.written_rows import WrittenValue
from jobs.questions.cases.written_values import CaseClock
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload
from jobs.workload.files.problems import Problems, WorkloadError, brief, nearest
from jobs.workload.files.yaml_file import read_yaml

FOLDER = "cases"
SUFFIX = ".yaml"
LONGEST_TITLE = 120


@dataclass(frozen=True)
class Case:
    """Given events of a query, and the answer that is expected. `place`: the file and line of its title."""

    query: WorkloadQuery
    title: str
    place: str
    clock: CaseClock
    events: pa.Table
    expected: Expected


def case_files(folder: Path) -> list[Path]:
    """The case files of a workload folder, by name."""
    return sorted(path for path in (folder / FOLDER).glob("*") if path.suffix == SUFFIX)


def read_case_files(
    workload: Workload, compiled: Mapping[str, WorkloadQuery], only: Collection[str] | None = None
) -> list[Case]:
    """The cases of all queries, or of some. Raises WorkloadError with every problem of every file."""
    problems, cases = Problems(), []
    for path in case_files(workload.folder):
        shown = f"{FOLDER}/{brief(path.name, quoted=False)}"
        if path.stem not in compiled:
            problems.add(shown, f"no query has this name; {nearest(path.stem, compiled)}")
        elif only is None or path.stem in only:
            cases += CaseFile(problems, workload, compiled[path.stem], shown).read(path)
    if problems.noted:
        raise WorkloadError(workload.name, problems.noted)
    return cases


class CaseFile:
    """Reads the cases of one query. Every problem goes to `problems`."""

    def __init__(self, problems: Problems, workload: Workload, query: WorkloadQuery, shown: str) -> None:
        self.problems = problems
        self.workload = workload
        self.query = query
        self.shown = shown

    def read(self, path: Path) -> list[Case]:
        """The cases of a file."""
        before = len(self.problems.noted)
        content = read_yaml(self.problems, path, self.shown, as_written=True)
        if content is None and len(self.problems.noted) == before:
            self.problems.add(self.shown, "is empty: expected a list of cases, each `- case: what it shows`")
        items = self.problems.sequence(self.shown, content)
        cases = [self._case(f"{self.shown}: [{number}]", item) for number, item in enumerate(items)]
        titles: set[str] = set()
        for number, case in enumerate(cases):
            if case.title in titles:
                self.problems.add(f"{self.shown}: [{number}].case", f"two cases are called {brief(case.title)}")
            titles.add(case.title)
        return cases

    def _case(self, where: str, item: Any) -> Case:
        section = self.problems.section(where, item, ("case", "given", "expect"), ("day", "same"))
        clock = CaseClock(self.workload.time.unit, self.workload.time.zone, self._day(section.at("day"), section.items))
        same = self._same(section.at("same"), section.items.get("same"))
        given = GivenEvents(self.problems, self.workload, self.query, clock)
        events = given.read(section.at("given"), section.items.get("given", ""), same)
        expected = Expected()
        if section.items.get("expect") is not None:
            answer = ExpectedAnswer(self.problems, self.query, clock, events.num_rows)
            expected = answer.read(section.at("expect"), section.items["expect"])
        mark = self.problems.mark(where)
        place = f"{self.shown}:{mark.line}" if mark else self.shown
        return Case(self.query, section.line("case", LONGEST_TITLE), place, clock, events, expected)

    def _day(self, where: str, items: Mapping[str, Any]) -> date:
        written = items.get("day")
        if written is None:
            return self.workload.start
        try:
            return date.fromisoformat(written)
        except (TypeError, ValueError):
            self.problems.add(where, f"expected a day such as 2013-03-08, found {brief(written)}")
            return self.workload.start

    def _same(self, where: str, value: Any) -> dict[str, WrittenValue]:
        same, known = {}, self.workload.attributes
        for name, text in self.problems.mapping(where, value).items():
            if name not in known:
                self.problems.add(where, f"unknown attribute {brief(name)}; {nearest(name, known)}", name)
            elif text is not None and not isinstance(text, str):
                self.problems.add(f"{where}.{name}", "expected one value")
            else:
                place = partial(self.problems.mark, f"{where}.{name}")
                same[name] = WrittenValue(text, place, place)
        return same
