"""Days to be loaded again: an earlier definition of the workload loaded them, or a load of them did not end.

Another definition has another events.sql, other sources, rules or days. A day of the lake stays as it was loaded until
it is loaded again, so an edit leaves days of several definitions beside each other. `status` lists them, `run --stale`
loads them again. Days that begin at other moments must never stand beside each other: what lies between two of them
would be lost, or be counted twice. A load that ends before its events are published has noted the files that it read,
so their bytes no longer tell that the day is behind them. Cost: linear in the ledger's days.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from jobs.exits import WrongWorkload
from jobs.runs.recorded_days import Ledger
from jobs.runs.run import shown_days
from jobs.runs.source_days import is_gone
from jobs.workload.declaration import Workload
from jobs.workload.load_definition import load_definition


def outdated_days(ledger: Ledger, workload: Workload) -> tuple[date, ...]:
    """The days that another definition loaded, and those of `unfinished_days`, ascending. Of days that an older program
    loaded nothing is known."""
    present = load_definition(workload)
    return tuple(
        sorted(day for day, of in ledger.days.items() if of.definition not in (None, present) and not of.expired)
    )


def unfinished_days(ledger: Ledger) -> tuple[date, ...]:
    """The days whose last load ended before it published their events, ascending."""
    return tuple(sorted(day for day, of in ledger.days.items() if of.unfinished and not of.expired))


def moved_days(ledger: Ledger, workload: Workload) -> tuple[date, ...]:
    """The days whose events were cut from the log at other moments than the present schedule says, ascending."""
    begin = workload.operating_days.interval
    held = ((day, of) for day, of in ledger.days.items() if not of.expired)
    return tuple(sorted(day for day, of in held if of.begins not in (None, begin(day)[0])))


def refuse_mixed_days(ledger: Ledger, workload: Workload, loads: Collection[date] = ()) -> None:
    """Raises WrongWorkload if days would stand in the lake that begin at different moments, were `loads` loaded."""
    moved = [day for day in moved_days(ledger, workload) if day not in loads]
    if not moved:
        return
    gone = [day for day in moved if is_gone(workload, day)]
    mend = (
        f"the files of {shown_days(gone)} are gone, so give the former schedule and unit back, or the files"
        if gone
        else f"to load all days again: trendmill run {workload.name} --stale"
    )
    raise WrongWorkload(
        f"days now begin at another moment (schedule '{workload.schedule}', unit {workload.time.unit}) than "
        f"{shown_days(moved)} in the lake, and events between two beginnings would be lost; {mend}"
    )
