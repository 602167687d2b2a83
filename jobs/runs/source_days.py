"""Checks whether a workload's sources have a day. Used before other days than the run's own are loaded."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from jobs.raw.source_files import expand
from jobs.workload.declaration import Workload
from jobs.workload.sections.sources import local_path

if TYPE_CHECKING:
    from jobs.lake.session import LateSession


def has_day(session: LateSession, workload: Workload, day: date) -> bool:
    """Whether every source that must exist has its files for `day`. Spark looks at remote files of days only."""
    return all(
        glob.glob(str(file)) if (file := local_path(place)) is not None else expand(session.spark, place)
        for place in _places(workload, day)
    )


def is_gone(workload: Workload, day: date) -> bool:
    """Whether this machine can tell, without Spark, that a source has no file for `day` although it must.

    Of files that hold many days only this is known: that none of them is there any more.
    """
    local = (local_path(place) for place in _places(workload, day))
    return any(not glob.glob(str(file)) for file in local if file is not None)


def _places(workload: Workload, day: date) -> Iterator[str]:
    for source in workload.sources.values():
        if source.must_exist:
            for place, file_day in source.paths([day], workload.base).items():
                if file_day == day or (file_day is None and local_path(place) is not None):
                    yield place
