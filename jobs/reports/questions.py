"""A workload's questions as the reports know them: the analyst's words, the bound query, the explained plan."""

from __future__ import annotations

from dataclasses import dataclass

from cep_core import explain
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query
from jobs.workload.compiled import question_of
from jobs.workload.declaration import Workload


@dataclass(frozen=True)
class Question:
    """One query of a workload; `name` is its result table."""

    name: str
    asked: str
    text: str
    query: Query
    plan: str

    @property
    def kind(self) -> str:
        """What its results are; reports are chosen by it."""
        return self.query.kind


def questions_of(workload: Workload) -> list[Question]:
    """Every question, by name. Raises QueryError where a query is wrong."""
    found = []
    for path in workload.question_files():
        text = path.read_text(encoding="utf-8")
        shown = path.relative_to(workload.folder).as_posix()
        query = bind(text, workload.schema, path=shown)
        plan = str(explain(text, schema=workload.schema))
        found.append(Question(path.stem, question_of(text), text, query, plan))
    return sorted(found, key=lambda question: question.name)
