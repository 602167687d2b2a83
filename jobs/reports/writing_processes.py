"""Reports of many days, written by several processes: nearly all of a report's time is work of one core. There are as
many as the machine has cores, if its memory has room for them.

Each process reads the tables at the versions that this one sees, so that reports are the same to the byte, however many
processes write them. They are spawned, not forked: this process may have a JVM and threads.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from jobs.lake.spark_settings import memory_of_machine
from jobs.reports.lake_reader import LakeReader
from jobs.reports.masking import masks_of
from jobs.reports.questions import questions_of
from jobs.reports.report_writer import ReportWriter
from jobs.signals import end_with_parent
from jobs.workload.declaration import load_workload

DAYS_OF_A_PROCESS = 3
"""The fewest days for which a process of its own is worth its start, which takes about two seconds."""

MEMORY_OF_A_PROCESS = 1_000_000_000
"""Bytes that a process may need: a day of ten million events and 200,000 results took as much."""


@dataclass(frozen=True)
class _Task:
    """What a process must know to write reports as the writer of another one."""

    folder: Path
    base: Path
    lake: Path
    versions: dict[str, int]
    run_id: str
    home: Path

    def writer(self) -> ReportWriter:
        workload = load_workload(self.folder, base=self.base)
        questions = questions_of(workload)
        reader = LakeReader(self.lake, self.versions, masks_of(workload, questions))
        return ReportWriter(workload, questions, reader, self.run_id, self.home)


def write_reports(writer: ReportWriter, days: Sequence[date]) -> Iterator[tuple[date, Path]]:
    """Writes the reports of days; yields each day with its first page once it is written, in any order.

    An error in one process ends all; reports that were written stay.
    """
    number = processes_for(len(days), os.cpu_count() or 1, memory_of_machine())
    if number < 2:
        for on in days:
            yield on, writer.write(on)
        return
    workload, reader = writer.workload, writer.reader
    task = _Task(workload.folder, workload.base, reader.folder, reader.pin(), writer.run_id, writer.home)
    pool = ProcessPoolExecutor(number, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(task,))
    try:
        begun = {pool.submit(_write, on): on for on in days}
        for written in as_completed(begun):
            yield begun[written], written.result()
    finally:
        pool.shutdown(cancel_futures=True)


def processes_for(days: int, cores: int, memory: int) -> int:
    """How many processes write the reports of some days on a machine. Half of its memory is left to others.

    >>> processes_for(365, 16, 8 << 30), processes_for(365, 2, 24 << 30), processes_for(5, 16, 24 << 30)
    (4, 2, 1)
    """
    return max(1, min(cores, days // DAYS_OF_A_PROCESS, memory // 2 // MEMORY_OF_A_PROCESS))


_own: list[ReportWriter] = []
"""The writer of this process, if it was started to write reports."""


def _begin(task: _Task) -> None:
    """The start of a process."""
    end_with_parent()
    _own[:] = [task.writer()]
    # Looking for cycles of objects again and again takes an eighth of the time of drawing; once a report is enough.
    gc.collect()
    gc.freeze()
    gc.disable()


def _write(on: date) -> Path:
    page = _own[0].write(on)
    gc.collect()
    return page
