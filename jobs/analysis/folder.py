"""A workload folder, read whole and analysed without Spark: what it declares, and every problem of every file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jobs.analysis.events_sql import events_mistakes
from jobs.analysis.rules import find_rule_problems
from jobs.workload.compiled import WorkloadQuery, compile_questions
from jobs.workload.content import content_hash
from jobs.workload.declaration import Workload, folder_of, read_into
from jobs.workload.files.problems import Mark, Problems, WorkloadError
from jobs.workload.sections.alerting.declared import check_measures
from jobs.workload.sections.experiment_grids import read_grids

if TYPE_CHECKING:
    from cep_core.experiments.grids.declared import DeclaredGrid


_RIGHT: set[tuple[Path, str]] = set()
"""Folders that this process has checked without a problem, by their content."""


@dataclass(frozen=True)
class Folder:
    """A workload with all that its folder holds."""

    workload: Workload
    compiled: dict[str, WorkloadQuery]
    grids: dict[str, DeclaredGrid]


def check_folder(name_or_folder: str | Path) -> Folder:
    """A workload's folder, by name or path. Raises WorkloadError with every problem of every file."""
    path = folder_of(name_or_folder)
    problems = Problems()
    workload = read_into(problems, path, path)
    for mistake in events_mistakes(workload):
        before = workload.events_sql[: mistake.start]
        mark = Mark(before.count("\n") + 1, len(before) - before.rfind("\n"), mistake.length)
        problems.point("events.sql", mark, mistake.message, mistake.hint)
    find_rule_problems(problems, workload)
    compiled, wrong = compile_questions(workload)
    check_measures(problems, workload.alerts, {name: query.bound.kind for name, query in compiled.items()})
    grids, senseless = read_grids(path)
    mistakes = [*problems.noted, *wrong, *senseless]
    if mistakes:
        raise WorkloadError(workload.name, mistakes)
    _RIGHT.add((path, content_hash(path)))
    return Folder(workload, compiled, grids)


def refuse_wrong(name_or_folder: str | Path) -> None:
    """Raise WorkloadError if the folder has a problem. A folder that this process has checked is not read again."""
    path = folder_of(name_or_folder)
    if not _RIGHT or (path, content_hash(path)) not in _RIGHT:
        check_folder(path)
