"""The events on which strategies of slicing are compared: those that a plan slices, or one of every few of them.

The last days of the run that have at most `limits.slice_rows` events together count, at least one. If that one day has
more, every n-th event of the log is looked at, so that some SAMPLED are: loads are shares of events, and a share of a
million events that lie evenly in the log is exact to a tenth of a percent.

Cost: a read of the attributes that slice, of a sample one for all plans that look at the same days
(jobs/stages/slicing/event_samples.py). Memory: the events looked at, and a piece of the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from cep_core.language.evaluator import Reach
from cep_core.slicing import Plan
from jobs.lake.dataset import read_table
from jobs.lake.reading import log_order
from jobs.runs.recorded_days import Ledger
from jobs.runs.run import Run
from jobs.stages.slicing.event_samples import EventSamples, slicing_columns
from jobs.stages.slicing.planned import evaluations_by, read_by

SAMPLED = 1_000_000
"""Events of a sample, about."""


@dataclass(frozen=True)
class SlicedLog:
    """Events that a plan slices, in the log's order. `interval`: the log time in which its results become certain;
    `every`: of how many events of the log one was looked at."""

    events: pa.Table
    interval: tuple[int, int]
    every: int = 1

    def reach(self, reach: Reach) -> Reach:
        """A reach of queries, as far in these events: a reach over events covers fewer of a sample."""
        return replace(reach, events=-(-reach.events // self.every))


def sliced_log(run: Run, ledger: Ledger, plan: Plan, samples: EventSamples) -> SlicedLog:
    """The events on which a plan of the run is compared with others."""
    evaluated = sorted({evaluation.day for evaluation in evaluations_by(run, plan)})
    most = run.workload.limits.slice_rows
    days = last_that_fit(ledger, read_by(run, plan), most)
    calendar = run.workload.operating_days
    inside = [day for day in evaluated if day >= days[0]] or evaluated[-1:]
    interval = (calendar.interval(inside[0])[0], calendar.interval(inside[-1])[1])
    every = share_of(sum(ledger.days[day].events for day in days if day in ledger.days), most)
    types = sorted({atom.event_type for atom in plan.atoms})
    if every > 1:
        sample = samples.of(tuple(days), every).select(slicing_columns(plan.atoms))
        events = sample.filter(pc.is_in(sample["event_type"], pa.array(types, pa.string()))).combine_chunks()
    else:
        whole = read_table(_folder(run), slicing_columns(plan.atoms), days, ds.field("event_type").isin(types))
        assert whole is not None
        events = log_order(whole)
    return SlicedLog(events, interval, every)


def share_of(events: int, most: int) -> int:
    """Of how many events one is looked at, so that more than `most` become SAMPLED, or fewer than `most`.

    >>> share_of(5_000_000, 5_000_000), share_of(50_000_000, 5_000_000), share_of(50, 20)
    (1, 50, 3)
    """
    return 1 if events <= most else -(-events // min(most, SAMPLED))


def last_that_fit(ledger: Ledger, days: Sequence[date], most: int) -> list[date]:
    """The last days of `days` that together have at most `most` events; at least one day."""
    room = most
    fitting: list[date] = []
    for day in reversed(days):
        room -= ledger.days[day].events if day in ledger.days else 0
        if room < 0 and fitting:
            break
        fitting.insert(0, day)
    return fitting


def _folder(run: Run) -> Path:
    return run.lake / run.workload.name / "events"
