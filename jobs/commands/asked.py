"""The query that a command line names: a query of the workload, or any file with a query."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from jobs.exits import WrongWorkload
from jobs.workload.declaration import Workload
from jobs.workload.files.problems import nearest


def query_named(workload: Workload, names: Collection[str], asked: str) -> str:
    """The name, if the workload has such a query. Else WrongWorkload names the nearest query."""
    if asked not in names:
        raise WrongWorkload(f"workload '{workload.name}' has no query '{asked}'; {nearest(asked, names)}")
    return asked


def query_file(workload: Workload, asked: str) -> Path:
    """The file of a query by its name in the workload, or by path. Else WrongWorkload names the nearest query."""
    files = {path.stem: path for path in workload.question_files()}
    if asked in files:
        return files[asked]
    if Path(asked).is_file():
        return Path(asked)
    return files[query_named(workload, files, asked)]
