"""Days that have no present results though they are loaded, and that `run --stale` passes over.

The gate refused the last load of some: their events are those of the load before. Others were loaded and never
evaluated: later ones than any result has, as the run that was asked for them failed. Earlier ones were loaded because
later days look back at them. Cost: linear in the ledger's days.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from jobs.runs.recorded_days import Ledger
from jobs.runs.run import shown_days


def refused_days(ledger: Ledger) -> tuple[date, ...]:
    """The days whose last load the gate refused, ascending."""
    return tuple(sorted(day for day, of in ledger.days.items() if of.refused and not of.expired))


def unevaluated_days(ledger: Ledger, queries: Collection[object]) -> tuple[date, ...]:
    """The days with events, after the last one that has a result, ascending. `queries`: the workload's.

    >>> from jobs.runs.recorded_days import LoadedDay
    >>> days = {date(2013, 3, day): LoadedDay("a") for day in (7, 8)}
    >>> unevaluated_days(Ledger(days), ["waves"]) == tuple(days), unevaluated_days(Ledger(days), [])
    (True, ())
    """
    if not queries:
        return ()
    last = max((day for _, day in ledger.results), default=date.min)
    return tuple(sorted(day for day, of in ledger.days.items() if day > last and ledger.holds(day) and not of.refused))


def up_to_date(ledger: Ledger, queries: Collection[object]) -> str:
    """What to say when no result is stale.

    >>> from jobs.runs.recorded_days import LoadedDay
    >>> up_to_date(Ledger(), ["waves"])
    'every result is up to date'
    >>> days = {date(2013, 3, 8): LoadedDay("a"), date(2013, 3, 9): LoadedDay("b", refused=True)}
    >>> up_to_date(Ledger(days), ["waves"])
    'every result is up to date, but 2013-03-08 has no result, the gate refused 2013-03-09: see `trendmill status`'
    """
    but = []
    if days := unevaluated_days(ledger, queries):
        but.append(f"{shown_days(days)} {'has' if len(days) == 1 else 'have'} no result")
    if days := refused_days(ledger):
        but.append(f"the gate refused {shown_days(days)}")
    return "every result is up to date" + (f", but {', '.join(but)}: see `trendmill status`" if but else "")
