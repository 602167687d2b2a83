"""Fencing: a run that lost its lease while it was paused or cut off can commit nothing more.

Every commit carries a number under one application id (Delta's `txnAppId`, `txnVersion`). The number is made of the
lease's token and the table's next version. Delta skips a write whose number is not above the table's, and refuses a
write that began before another commit of the same id. So a run that takes the lake from writers that may still be at
work first commits its token, and nothing else, to every table. A write of theirs either came before, and is seen, or
fails. A skipped write is silent, so each commit is looked up in the table's log by its mark. Creating and discarding
tables are no commits of rows; they happen under the lease's file lock.

Two programs on a plain file system need one thing more. Delta checks that a version's file is absent and then renames
its temporary file to that name. A program that is paused in between would later overwrite the other program's commit.
So the fence commits by a hard link, which fails if the file exists. It removes temporary files, and checks that its
commit still stands: a rename that was checked before the fence has lost its source.

Assumes that the lake is a folder. Cost: a write reads the names and the newest file of one log, a millisecond; a
takeover 50 ms a table.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError

from jobs.exits import LeaseLost, RunError
from jobs.lake.leasing.lease import locked, lost_to, owns, stored
from jobs.lake.leasing.record import Lease

APPLICATION = "trendmill"
"""Delta's application id of every commit, of all runs: only commits of one id exclude each other."""

VERSIONS = 1 << 20
"""A fencing number is token * VERSIONS + table version."""

ATTEMPTS = 5
"""The most tries of a write when other tasks of the same run, with the same token, commit at the same time."""

Write = Callable[[Mapping[str, str]], None]
"""Writes a table with the given options: those of a DataFrame's writer, which `jobs/lake/arrow_write.py` takes too."""


@dataclass
class Fence:
    """The right of one process to write to a workload's lake, as long as its lease is the last one given.

    `expires`: when the lease ends unless renewed. `trouble`: why the last renewal failed, if it did.
    """

    path: Path
    lease: Lease
    expires: datetime = field(init=False)
    trouble: Exception | None = None
    lost: LeaseLost | None = None
    _writing: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.expires = self.lease.expires

    @property
    def home(self) -> Path:
        """The workload's folder."""
        return self.path.parents[1]

    def folder(self, table: str) -> Path:
        """The folder of a table (`<workload>.<table>`)."""
        return self.home / folder_of(table)

    @property
    def settled(self) -> bool:
        """Whether every write that was begun is known to have ended."""
        return not self._writing

    def check(self) -> None:
        """Raise LeaseLost if another run took the lake, or might have; LeaseUnreadable if that cannot be known."""
        if self.lost is not None:
            raise self.lost
        record = stored(self.path)
        if not owns(record, self.lease):
            self.lost = lost_to(record)
            raise self.lost
        if datetime.now(UTC) >= self.expires:
            why = f": {self.trouble}" if self.trouble else " (was the process paused?)"
            raise LeaseLost(f"it ended at {self.expires:%Y-%m-%d %H:%M:%S}Z and could not be renewed before{why}")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """For work that commits no rows: no run can take the lake during the block. Raises LeaseLost before it."""
        with locked(self.path):
            self.check()
            yield

    def commit(self, table: str, write: Write) -> None:
        """Write a table (`<workload>.<table>`). The commit is refused once another run has taken the lake.

        Raises LeaseLost in that case, else whatever the write raises.
        """
        log = self.folder(table) / "_delta_log"
        for attempt in range(1, ATTEMPTS + 1):
            self.check()
            before, mark = newest(log), f"trendmill {self.lease.run_id} {uuid.uuid4().hex}"
            options = {
                "txnAppId": APPLICATION,
                "txnVersion": str(fencing_number(self.lease.token, before + 1)),
                "userMetadata": mark,
            }
            self._writing.add(mark)
            try:
                write(options)
            except Exception as error:
                if _has_ended(error):
                    self._writing.discard(mark)
                self._refuse(error)
                if attempt == ATTEMPTS or not _met_another(error):
                    raise
                continue
            self._writing.discard(mark)
            if _landed(log, before, mark):
                return
            self.check()
        raise RunError(
            f"{table} refused {ATTEMPTS} writes: its log carries the fencing number of a later run than "
            f"{self.path} knows; was the lake restored from a copy, or the clock put back?"
        )

    def _refuse(self, error: Exception) -> None:
        """Raise LeaseLost from an error if the lease is lost: the lost lease is its cause."""
        try:
            self.check()
        except LeaseLost as lost:
            raise lost from error


_fences: dict[str, Fence] = {}
"""The fences of the leases that this process holds, by workload."""


@contextmanager
def fencing(fence: Fence) -> Iterator[Fence]:
    """Let this process write the fence's workload during the block."""
    _fences[fence.home.name] = fence
    try:
        yield fence
    finally:
        if _fences.get(fence.home.name) is fence:
            del _fences[fence.home.name]


def fence_of(workload: str) -> Fence:
    """The fence under which this process may write a workload's tables. Raises RunError when it holds no lease."""
    if workload not in _fences:
        raise RunError(f"this process holds no lease of {workload}'s lake, so it may write nothing there")
    return _fences[workload]


def folder_of(table: str) -> str:
    """The folder of `<workload>.<table>` below the workload's.

    >>> folder_of("`w`.`events`"), folder_of("w.work_slices")
    ('events', '_work/slices')
    """
    name = table.replace("`", "").split(".", 1)[1]
    return f"_work/{name.removeprefix('work_')}" if name.startswith("work_") else name


def fencing_number(token: int, version: int) -> int:
    """The number of a commit.

    >>> fencing_number(3, 5) == 3 * 2**20 + 5
    True
    """
    if version >= VERSIONS:
        raise RunError(f"a table of {version:,} versions: no fencing number is left for the next one")
    return token * VERSIONS + version


def newest(log: Path) -> int:
    """The newest version of a table, from the names in its log; -1 if there is none."""
    return max((int(file.stem) for file in log.glob("*.json") if file.stem.isdigit()), default=-1)


def fence_off(home: Path, token: int) -> int:
    """Make every table of a workload refuse the commits of earlier tokens; returns how many tables there are."""
    logs = sorted([*home.glob("*/_delta_log"), *home.glob("_work/*/_delta_log")])
    for log in logs:
        fence_table(log, token)
    return len(logs)


def fence_table(log: Path, token: int) -> None:
    """Commit the token to one table, by a hard link. Files of an unfinished commit can no longer become a commit."""
    while True:
        number = _stamp(log, token)
        for unfinished in [*log.glob(".*.tmp"), *log.glob(".*.tmp.crc")]:
            unfinished.unlink(missing_ok=True)
        if number is None or _stands(log, number):
            return


def _stamp(log: Path, token: int) -> int | None:
    """Commit a number and nothing else; None if no version was ever committed."""
    if newest(log) < 0:
        return None
    for attempt in count(1):
        try:
            table = DeltaTable(log.parent)
        except DeltaError as error:
            reason = str(error).splitlines()[0][:200]
            raise RunError(
                f"the log of {log.parent} cannot be read: {reason}; "
                f"`trendmill verify {_workload(log)}` lists what is damaged"
            ) from error
        number = fencing_number(token, table.version() + 1)
        try:
            table.create_write_transaction(
                [],
                "append",
                table.schema(),
                list(table.metadata().partition_columns),
                commit_properties=CommitProperties(app_transactions=[Transaction(APPLICATION, number)]),
                post_commithook_properties=PostCommitHookProperties(
                    create_checkpoint=False, cleanup_expired_logs=False
                ),
            )
        except CommitFailedError:
            if attempt >= 4 * ATTEMPTS:
                raise
            continue  # another program committed first; its commit is whole, and the next stamp comes after it
        return number
    return None


def _workload(log: Path) -> str:
    table = log.parents[1]
    return table.parent.name if table.name == "_work" else table.name


def _stands(log: Path, number: int) -> bool:
    """Whether the commit of a stamp is in the log and was not overwritten by a renamed file."""
    last = newest(log)
    versions = range(max(0, number % VERSIONS - 1), last + 1)
    return any(_of(actions, "txn").get("version") == number for actions in (_actions(log, v) for v in versions))


def _landed(log: Path, before: int, mark: str) -> bool:
    """Whether one of the versions after `before` is the commit with this mark."""
    versions = range(newest(log), before, -1)
    return any(_of(_actions(log, version), "commitInfo").get("userMetadata") == mark for version in versions)


def _actions(log: Path, version: int) -> Iterator[dict[str, Any]]:
    try:
        with (log / f"{version:020}.json").open(encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)
    except FileNotFoundError:
        return


def _of(actions: Iterator[dict[str, Any]], kind: str) -> dict[str, Any]:
    """The first action of a kind in a commit; Spark and delta-rs write `commitInfo` and `txn` before any file."""
    for action in actions:
        if kind in action:
            content: dict[str, Any] = action[kind]
            return content
    return {}


def _has_ended(error: Exception) -> bool:
    """Whether the JVM or delta-rs itself reported that the write failed: no part of it is still at work."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    return isinstance(error, DeltaError | Py4JJavaError | PySparkException)


def _met_another(error: Exception) -> bool:
    from delta.exceptions import DeltaConcurrentModificationException

    return isinstance(error, CommitFailedError | DeltaConcurrentModificationException)
