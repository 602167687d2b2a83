"""One day of a policy: how many violations it has, of whom, when, and the first of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from cep_core.events.schema import LogSchema
from cep_core.language.evaluator import Atom
from jobs.reports.answers.answer import Answer
from jobs.reports.answers.concentration import Concentration, leading
from jobs.reports.answers.listing import FILED, SHOWN, Heading, Listing
from jobs.reports.answers.points.events_then import TITLE
from jobs.reports.answers.tallies import Totals, period_of
from jobs.reports.answers.variety.valued_rows import choose
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import Magnitude, counted
from jobs.reports.words.values import shown

UNIT = "violations"
POINT = ("ts", "offset")
"""The columns of a violation's time-point; the others are the values that violate."""


def valued(results: pa.Table) -> list[str]:
    """The columns of a violation that are no part of its time-point."""
    return [name for name in results.column_names if name not in (*POINT, "day", "run_id")]


def titles(atoms: Sequence[Atom], schema: LogSchema) -> dict[str, str]:
    """What variables are called in reports: the title of the first attribute that binds each.

    >>> from cep_core.events.schema import Attribute, AttributeType
    >>> origin = Attribute("origin", AttributeType.STRING, title="airport of departure")
    >>> titles([Atom("Departure", (("origin", "o"),))], LogSchema({"Departure": {"origin": origin}}))
    {'o': 'airport of departure'}
    """
    named: dict[str, str] = {}
    for atom in atoms:
        for attribute, variable in atom.variables:
            named.setdefault(variable, schema.title_of(attribute))
    return named


def titles_of(columns: Sequence[str], atoms: Sequence[Atom], schema: LogSchema) -> dict[str, str]:
    """What the columns of a violation are called: variables as `titles` says, attributes of `for each` by their own."""
    return {name: schema.title_of(name) for name in columns} | titles(atoms, schema)


def number_of(totals: Totals) -> int:
    """The exact number of violations, listed or not."""
    return totals.at_least if totals.total is None else totals.total


def answer(
    results: pa.Table, totals: Totals, day: date, whose: Concentration | None, episodes: int | None = None
) -> Answer:
    """The number of violations, of episodes, and on whom they concentrate. `episodes`: None where it is not known."""
    number = number_of(totals)
    total = Magnitude.of(number)
    if number == 0:
        return Answer(f"There was no violation on {spoken(day)}.", total, UNIT)
    be = "was" if number == 1 else "were"
    leader = f"; {leading(whose)}" if whose is not None else ""
    if leader and totals.truncated:
        leader += f" of the {results.num_rows:,} listed"
    caveat = ""
    if totals.truncated:
        caveat = f"Only the first {results.num_rows:,} of {counted(total, 'violation')} are listed."
    runs = f" in {counted(episodes, 'episode')}" if episodes is not None else ""
    return Answer(f"There {be} {counted(total, 'violation')}{runs} on {spoken(day)}{leader}.", total, UNIT, caveat)


def listing(
    results: pa.Table,
    clock: Clock,
    named: Mapping[str, str],
    interval: tuple[int, int],
    whose: Concentration | None = None,
    then: Callable[[Sequence[Mapping[str, Any]]], Sequence[str]] | None = None,
    measures: Collection[str] = (),
) -> Listing:
    """The violations, by time-point, then values: on the page, of many, those that differ; in the file the first.

    Columns of one title are told apart by their variables. `then`: names the events at the moments of some rows.
    `measures`: columns that no event has, such as counts: rows that differ in these only do not differ.
    """
    names = valued(results)
    ordered = results.sort_by([(name, "ascending") for name in (*POINT, *names)])
    titles = {name: heading(name, named) for name in names}
    several = any(results["offset"].to_pylist())
    headings = [Heading("time", whole=True), *([Heading("point", number=True)] if several else [])]
    headings += [Heading(titles[name], number=_is_number(ordered.schema.field(name).type)) for name in names]
    shown_rows, order = ordered.slice(0, SHOWN), "first ones first"
    if ordered.num_rows > SHOWN:
        telling = {name: title for name, title in titles.items() if name not in measures}
        numbers, best = choose(
            ordered, ordered["ts"].to_numpy(), interval, telling, None if whose is None else whose.leaders
        )
        shown_rows, order = ordered.take(pa.array(numbers, pa.int64())), f"the first {best}"
    cells = [
        [clock.time(row["ts"]), *([str(row["offset"])] if several else []), *(shown(row[name]) for name in names)]
        for row in shown_rows.to_pylist()
    ]
    named_events = then(shown_rows.to_pylist()) if then is not None and not several else []
    if any(named_events):
        headings.append(Heading(TITLE))
        cells = [[*row, events] for row, events in zip(cells, named_events, strict=True)]
    header = [*POINT, *names]
    filed = [[row[name] for name in header] for row in ordered.slice(0, FILED).to_pylist()]
    return Listing(headings, cells, header, filed, results.num_rows, order)


def by_period(results: pa.Table, interval: tuple[int, int]) -> dict[int, Magnitude]:
    """How many listed violations each 24th part of the day has, by the moment of the violation."""
    periods = Counter(period_of(ts, interval) for ts in results["ts"].to_pylist())
    inside = sorted((period, number) for period, number in periods.items() if period is not None)
    return {period: Magnitude.of(number) for period, number in inside}


def before_the_day(results: pa.Table, interval: tuple[int, int]) -> int:
    """How many listed violations lie before the day in which they became certain."""
    return sum(ts < interval[0] for ts in results["ts"].to_pylist())


def late_note(results: pa.Table, interval: tuple[int, int], clock: Clock) -> str:
    """A sentence about the violations that lie before the day; empty if none does."""
    number = before_the_day(results, interval)
    if not number:
        return ""
    which = f"{number:,} of these violations lie" if number > 1 else "1 of these violations lies"
    earliest = clock.time(min(results["ts"].to_pylist()))
    return (
        f"{which} before this operating day, the earliest at {earliest}: a violation is told on the day in which it "
        f"becomes certain, since later events may still keep the policy. Figures show it at its own moment."
    )


def heading(name: str, named: Mapping[str, str]) -> str:
    """A column's title, with its variable if several have the title.

    >>> heading("c1", {"c1": "airline", "c2": "airline"}), heading("n", {})
    ('airline c1', 'n')
    """
    title = named.get(name, name)
    return f"{title} {name}" if list(named.values()).count(title) > 1 else title


def _is_number(stored: pa.DataType) -> bool:
    return bool(pa.types.is_integer(stored) or pa.types.is_floating(stored))
