"""What a run would do, as lines for a person."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from jobs.questions.coming_run.seconds import PUBLISH, PastRuns
from jobs.questions.coming_run.work import Asked, ComingWork
from jobs.reports.words.quantities import counted, elapsed
from jobs.reports.words.values import listed
from jobs.runs.input_size import read_bytes, table_bytes
from jobs.runs.run import shown_days
from jobs.runs.unanswered_days import up_to_date
from jobs.workload.declaration import Workload

_NAMED = 6
"""Queries that a line names."""


@dataclass(frozen=True)
class ComingRun:
    """A run of a workload that somebody asks about."""

    workload: Workload
    asked: Asked
    work: ComingWork
    past: PastRuns
    lake: Path

    @property
    def published(self) -> tuple[date, ...]:
        """The days whose reports are written."""
        if PUBLISH not in self.asked.tasks:
            return ()
        first, last = self.asked.first, self.asked.last
        touched = sorted({*self.work.scope.days, *self.work.loads})
        if first is not None and last is not None:
            return tuple(sorted({*self.workload.operating_days.days(first, last), *self.work.scope.days}))
        between = self.workload.operating_days.days(touched[0], touched[-1]) if touched else ()
        return tuple(day for day in between if day in self.work.ledger.days)

    def lines(self) -> Iterator[str]:
        """Lines: what is loaded and evaluated and why, how much is read, and how long it may take."""
        yield from self._loads()
        yield from self._evaluations()
        if self.published:
            yield f"  publish   {shown_days(self.published)}"
        if not self.work.loads and not self.work.scope.evaluations and not self.published:
            return
        yield from self._reads()
        yield self._seconds()

    def _loads(self) -> Iterator[str]:
        for why, days in _grouped(self.work.loads).items():
            yield f"  load      {shown_days(days)}: {why}"
        if self.work.gone:
            yield f"  no load   {shown_days(self.work.gone)}: their files are gone"

    def _evaluations(self) -> Iterator[str]:
        by_reason: dict[tuple[str, tuple[date, ...]], list[str]] = {}
        days_of: dict[tuple[str, str], list[date]] = {}
        for (query, day), why in self.work.reasons.items():
            days_of.setdefault((query, why), []).append(day)
        for (query, why), days in days_of.items():
            by_reason.setdefault((why, tuple(days)), []).append(query)
        for (why, days_together), queries in sorted(by_reason.items(), key=lambda pair: pair[0][1]):
            named = f"all {len(queries)} queries" if self._are_all(queries) else listed(queries, _NAMED)
            yield f"  evaluate  {shown_days(days_together)}: {named}: {why}"
        if not by_reason and {"slice", "evaluate"} & {*self.asked.tasks}:
            same = " if these days hold the events that they held" if self.work.loads else ""
            yield f"  evaluate  nothing{same}: {up_to_date(self.work.ledger, self.workload.question_files())}"

    def _are_all(self, queries: Collection[str]) -> bool:
        return len(queries) > _NAMED and len(queries) == len(self.workload.question_files())

    def _reads(self) -> Iterator[str]:
        read = [self._sources()] if self.work.loads else []
        if reads := self.work.scope.reads:
            held = [day for day in reads if day not in self.work.loads]
            events = self.lake / self.workload.name / "events"
            notes = [f"{_mega(sum(table_bytes(events, day, day) for day in held))} as text"] if held else []
            notes += [] if len(held) == len(reads) else ["a new day is taken for an average one"]
            many = counted(self.work.events(reads), "event") if held else "the events"
            read.append(
                f"{many} of {shown_days(reads)} ({'; '.join(notes)})" if held else f"{many} of {shown_days(reads)}"
            )
        if read:
            yield f"  reads     {'; '.join(read)}"

    def _sources(self) -> str:
        workload = self.workload
        sizes = {name: read_bytes(of, [*self.work.loads], workload) for name, of in workload.sources.items()}
        unseen = [name for name, size in sizes.items() if size is None]
        known = _mega(sum(size for size in sizes.values() if size is not None))
        return f"{known} of sources as text" + (f", and {listed(unseen)} of unknown size" if unseen else "")

    def _seconds(self) -> str:
        work = {
            "load": (self.work.events(self.work.loads), len(self.work.loads)),
            "slice": (self.work.events(self.work.scope.days), len(self.work.scope.days)),
            "evaluate": (self.work.events(self.work.scope.days), len(self.work.scope.days)),
            PUBLISH: (0, len(self.published)),
        }
        tasks = {task: self.past.of_task(task, events, days) for task, (events, days) in work.items() if days}
        known = {task: seconds for task, seconds in tasks.items() if seconds is not None}
        if not known:
            return "  takes     not known: no earlier run"
        parts = ", ".join(f"{task} {elapsed(seconds)}" for task, seconds in known.items())
        unknown = [task for task in tasks if task not in known]
        lacking = f"; of {listed(unknown)} there is no earlier run" if unknown else ""
        runs = f", by {counted(self.past.many, 'earlier run')}" if self.past.many else ""
        evaluated = {query for query, _ in self.work.reasons}
        whole = " (of all queries)" if 0 < len(evaluated) < len(self.workload.question_files()) else ""
        about = f"{'more than' if unknown else 'about'} {elapsed(sum(known.values()))}"
        return f"  takes     {about}: {parts}{whole}{runs}; Spark's start is not in it{lacking}"


def _grouped(reasons: Mapping[date, str]) -> dict[str, list[date]]:
    grouped: dict[str, list[date]] = {}
    for day, why in reasons.items():
        grouped.setdefault(why, []).append(day)
    return grouped


def _mega(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
