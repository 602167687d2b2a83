"""Whether a workload's sources have a day: asked before warm-up days are loaded, not of the days that a run is for."""

from __future__ import annotations

import glob
from datetime import date

from jobs.workload.declaration import Workload
from jobs.workload.sources import is_local


def has_day(workload: Workload, day: date) -> bool:
    """Whether every source with a file for each day, which must exist, has one for `day`; remote ones are taken to."""
    places = [
        place
        for source in workload.sources.values()
        if source.daily and source.must_exist
        for place, own in source.paths([day], workload.base).items()
        if own == day and is_local(place)
    ]
    return all(glob.glob(place) for place in places)
