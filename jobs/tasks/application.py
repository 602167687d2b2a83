"""A run in one Spark application, for the command line: lease, session, tasks, reports."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from jobs import places
from jobs.exits import GateFailure, WrongWorkload
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import give_back, lease_file, wait_for
from jobs.quality.judges import judges_for
from jobs.runs.progress import to_person
from jobs.runs.run import Progress, StageOutcome, shown_days
from jobs.tasks.ending import end, end_after
from jobs.tasks.stored_workload import workload_of_run

if TYPE_CHECKING:
    from jobs.lake.session import LateSession
    from jobs.quality.judges import Judges
    from jobs.runs.run import Run
    from jobs.runs.scope import Scope
    from jobs.workload.declaration import Workload

TASKS = ("load", "slice", "evaluate", "publish")


@dataclass(frozen=True)
class Application:
    """The work of one command line on a workload's lake.

    `first`, `last`: the operating days; None if `scope` finds them. `prepare` runs before the tables are opened.
    `scope` decides what is evaluated; without it, the days do. `again`: days to load before that. `selected`: the only
    queries that are evaluated. `decide` gives an application to do in place of this one, once the lease is held: the
    lake may change while a command waits for it.
    """

    workload: str
    folder: str
    tasks: Collection[str]
    first: date | None = None
    last: date | None = None
    run_id: str | None = None
    prepare: Callable[[], None] | None = None
    scope: Callable[[Run], Scope] | None = None
    again: Sequence[date] = ()
    selected: frozenset[str] | None = None
    decide: Callable[[], Application] | None = None

    def run(self) -> None:
        """Wait for the lease, do the tasks in order, give the lease back. Raises GateFailure for refused days."""
        progress = to_person()
        run_id = self.run_id or new_run_id()
        days = f"{self.first}..{self.last}" if self.first else "stale days"
        with leased(self.workload, f"`trendmill` on {self.workload}, {days}", run_id, progress) as check:
            if set(self.tasks) == {"publish"} and self.first and self.last:
                workload = workload_of_run(self.folder, run_id, places.lake())
                publish_run(workload, workload.operating_days.days(self.first, self.last), run_id, progress)
            else:
                work = self if self.decide is None else self.decide()
                work._work(run_id, progress, check)
            if "publish" in self.tasks:
                end(places.lake(), self.workload, run_id)

    def _work(self, run_id: str, progress: Progress, check: Callable[[], None]) -> None:
        days = (self.last - self.first).days + 1 if self.first and self.last else 0
        with judges_for("load" in self.tasks, days) as judges:
            self._do_tasks(run_id, progress, check, judges)

    def _do_tasks(self, run_id: str, progress: Progress, check: Callable[[], None], judges: Judges | None) -> None:
        from jobs.lake.cluster import profile
        from jobs.lake.session import LateSession
        from jobs.runs.input_size import input_size
        from jobs.runs.ledger import read_ledger
        from jobs.runs.unanswered_days import up_to_date
        from jobs.tasks.nightly import TASKS as SPARK_TASKS
        from jobs.tasks.nightly import begin, left_stale, load_again, refused_days
        from jobs.workload.declaration import load_workload

        started = time.perf_counter()
        progress.start("start")
        read = (self.again[0], self.again[-1]) if self.again else (self.first, self.last)
        tasks = ("load", *self.tasks) if self.again else self.tasks
        size = input_size(load_workload(self.folder), tasks, *read, places.lake())
        progress.note(str(size))
        session = LateSession(f"trendmill {self.workload}", profile(), size.scale)
        try:
            if self.prepare is not None:
                self.prepare()
            days = self.first or date.min, self.last or date.min
            run = begin(
                self.folder, *days, run_id, session=session, lake=places.lake(), progress=progress, judges=judges
            )
            run = replace(run, selected=self._selected(run))
            if self.scope is not None:
                again = load_again(run, self.again)
                scope = self.scope(run)
                if not scope.evaluations and not again:
                    ledger = read_ledger(places.lake(), self.workload)
                    progress.note(f"nothing to evaluate: {up_to_date(ledger, run.compiled)}")
                    return
                touched = sorted({*again, *scope.days})
                run = replace(run, scope=scope, first=touched[0], last=touched[-1], loads=())
            progress.finish("start", StageOutcome(message=f"run {run_id}"), time.perf_counter() - started)
            for task in TASKS:
                check()
                if task in self.tasks and task in SPARK_TASKS:
                    SPARK_TASKS[task](run)
            if run.selected is not None:
                for name, stale in left_stale(run).items():
                    progress.note(
                        f"{name} was not selected and is stale on {shown_days(stale)}: its page shows what was"
                    )
            if "publish" in self.tasks:
                with _stopping(session):
                    calendar = run.workload.operating_days
                    publish_run(run.workload, calendar.days(run.first, run.last), run_id, progress)
            if refused := refused_days(run):
                raise GateFailure(refused)
        finally:
            session.stop()

    def _selected(self, run: Run) -> frozenset[str] | None:
        """The selected queries. Raises WrongWorkload if the run's workload, which may be a stored one, lacks one."""
        for name in sorted(self.selected or ()):
            if name not in run.compiled:
                raise WrongWorkload(f"the workload of run {run.run_id} has no query '{name}'; begin another run")
        return self.selected


@contextmanager
def _stopping(session: LateSession) -> Iterator[None]:
    """Stops Spark, which takes a second, while the block runs. The block must not need Spark."""
    stopping = threading.Thread(target=session.stop, name="stop")
    stopping.start()
    try:
        yield
    finally:
        stopping.join()


def publish_run(workload: Workload, days: Collection[date], run_id: str, progress: Progress) -> None:
    """Publish the reports of some days, and of others that the run evaluated."""
    from jobs.reports.publish import publish

    progress.start("publish")
    published = publish(workload, days, run_id, progress)
    pages = [str(page) for _, page in sorted(published.pages.items())]
    where = pages[-1] if pages else "no day that the lake knows"
    progress.finish("publish", StageOutcome(rows_out=len(pages), message=where), published.seconds)


def new_run_id() -> str:
    """The id of a run without a scheduler: the time of its start, and its process. Later runs sort behind it.

    To the microsecond: the runs of one process may be done in less than a second.
    """
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{os.getpid()}"


@contextmanager
def leased(workload: str, what: str, run_id: str, progress: Progress) -> Iterator[Callable[[], None]]:
    """Wait for the workload's lease and hold it. Yields a function that fails once the lease is lost.

    An error that trying again cannot help ends the run.
    """
    path, holder = lease_file(places.lake(), workload), f"{what} (process {os.getpid()} on {socket.gethostname()})"
    lease = wait_for(path, run_id, holder, process=os.getpid(), tell=progress.note)
    try:
        with kept(path, lease, tell=progress.note) as check:
            yield check
    except BaseException as error:
        end_after(error, places.lake(), workload, run_id)
        raise
    finally:
        give_back(path, run_id)
