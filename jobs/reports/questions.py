"""A workload's questions for reports: the analyst's words, the bound query, the explained plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cep_core.compile import BoundText, bind_text
from jobs.workload.compiled import question_of
from jobs.workload.declaration import Workload


@dataclass(frozen=True)
class Question:
    """One query of a workload; `name` is its result table."""

    name: str
    asked: str
    bound: BoundText
    plan: str

    @property
    def text(self) -> str:
        """As the analyst wrote it."""
        return self.bound.text

    @property
    def kind(self) -> str:
        """The kind of its results, by which reports are chosen."""
        return self.bound.kind

    @property
    def query(self) -> Any:
        """The bound query. Its kind decides what it holds."""
        return self.bound.query


def questions_of(workload: Workload) -> list[Question]:
    """Every question, by name. Raises QueryError where a query is wrong."""
    questions = []
    for path in workload.question_files():
        text = path.read_text(encoding="utf-8")
        shown = path.relative_to(workload.folder).as_posix()
        bound = bind_text(text, workload.schema, shown)
        questions.append(Question(path.stem, question_of(text), bound, str(bound.explain())))
    return sorted(questions, key=lambda question: question.name)
