"""The text of a query that an edit is compared with: of a file, of a revision in git, or of the lake's results."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from jobs.exits import WrongWorkload
from jobs.lake.dataset import read_table
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload

_GIT_SECONDS = 30


@dataclass(frozen=True)
class FormerText:
    """A query as it was. `called`: what it is, in a sentence; `path`: its file, as errors name it."""

    text: str
    called: str
    path: str


def former_text(
    workload: Workload, query: WorkloadQuery, against: str | None, days: Sequence[date], lake: Path
) -> FormerText | None:
    """The text to compare with. None: neither the last revision nor the lake has another one.

    `against`: a file, or a revision; None: the revision HEAD, or if its text is the present one, what the lake's
    results of these days were found with. Raises WrongWorkload.
    """
    if against is None:
        present = query.bound.text
        committed = _committed(query.path, "HEAD")
        if isinstance(committed, FormerText) and committed.text != present:
            return committed
        return _of_lake(workload, query, days, lake)
    if Path(against).is_file():
        if Path(against).suffix != query.path.suffix:
            raise WrongWorkload(f"--against {against}: {query.name} is a {query.path.suffix} file")
        return FormerText(_normal(Path(against).read_text(encoding="utf-8-sig")), against, against)
    stored = _committed(query.path, against)
    if isinstance(stored, str):
        raise WrongWorkload(f"--against {against}: no such file, and git says: {stored}")
    return stored


def _committed(path: Path, revision: str) -> FormerText | str:
    """A file as a revision has it; what git says if it has none."""
    if revision.startswith("-"):
        return "a revision does not begin with '-'"
    command = ["git", "-C", str(path.parent), "show", f"{revision}:./{path.name}"]
    try:
        shown = subprocess.run(command, capture_output=True, check=False, timeout=_GIT_SECONDS)
        text = shown.stdout.decode("utf-8-sig")
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        return str(error)
    if shown.returncode:
        return shown.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ") or "nothing"
    return FormerText(_normal(text), revision, f"{revision}:{path.name}")


def _of_lake(workload: Workload, query: WorkloadQuery, days: Sequence[date], lake: Path) -> FormerText | None:
    """The text by which the last of the days was evaluated that was evaluated by another one."""
    home = lake / workload.name
    results = read_table(home / "result_days", ["day", "query", "run_id", "definition"], days)
    runs = read_table(home / "runs", ["run_id", "workload_hash"])
    copies = {} if runs is None else dict(zip(*(runs[name].to_pylist() for name in runs.column_names), strict=True))
    rows = [] if results is None else results.to_pylist()
    for row in sorted(rows, key=lambda row: row["day"], reverse=True):
        if row["query"] != query.name or row["definition"] == query.definition:
            continue
        folder = home / "_work" / "workloads" / copies.get(row["run_id"], "")
        stored = folder / query.path.parent.name / query.path.name
        if not stored.is_file():
            kept = "the copy of the workload that it was evaluated with is no longer kept; give --against"
            raise WrongWorkload(f"{query.name} of {row['day']} was found by another definition, and {kept}")
        if (text := _normal(stored.read_text(encoding="utf-8-sig"))) != query.bound.text:
            return FormerText(text, f"what the lake's results of {row['day']} were found with", stored.name)
    return None


def _normal(text: str) -> str:
    """With line ends as the workload's reader has them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
