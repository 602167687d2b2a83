"""One day of a trend aggregation: its top group in a sentence, its rows ranked, its headline day by day.

Everything comes from the query's RETURN and GROUP-BY and from their columns (`docs/language.md`, Results), so any
aggregation query is reported without a line of Python. Counts beyond 38 digits are compared by their logarithms.
"""

from __future__ import annotations

from datetime import date
from itertools import takewhile

import pyarrow as pa

from cep_core.language.patterns.query import Query, ReturnItem
from jobs.reports.answers.aggregations.ranking import Ranking, Row, different, headline_item, value_of
from jobs.reports.answers.aggregations.windows_apart import apart, order_of
from jobs.reports.answers.answer import Answer
from jobs.reports.answers.listing import FILED, Heading, Listing
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import Magnitude, counted, quantity
from jobs.reports.words.values import capitalised, listed, named, shown


def noun(item: ReturnItem) -> str:
    """The noun for what an aggregate counts, in the singular; empty if there is none."""
    return item.aggregate.noun if item.aggregate is not None else ""


def titled(query: Query, item: ReturnItem) -> str:
    """The name of an aggregate on pages: its label, or "highest delay in minutes of D" if its attribute has a title."""
    attribute = item.argument
    title = query.schema.title_of(attribute) if attribute else ""
    if title == (attribute or "") or item.aggregate is None or not item.aggregate.word:
        return label(item)
    return f"{item.aggregate.word} {title} of {item.variables[0]}"


def groups(query: Query) -> list[str]:
    """The names of the GROUP-BY attributes on pages."""
    return [query.schema.title_of(name) for name in query.group_by]


def label(item: ReturnItem) -> str:
    """An aggregate as its query writes it: COUNT(*), MAX(D.delay_min)."""
    if item.aggregate is None:
        return item.column
    return item.aggregate.label(item.variables[0] if item.variables else "", item.argument)


def headlines(query: Query, results: pa.Table) -> dict[date, Magnitude]:
    """The headline of each day that has results, from the results of many days (with their column `day`)."""
    item = headline_item(query)
    best: dict[date, Magnitude] = {}
    for row in different(query, results, "day"):
        value = value_of(item, row)
        if value is not None and (row["day"] not in best or value.key > best[row["day"]].key):
            best[row["day"]] = value
    return best


def unit(query: Query) -> str:
    """What the headline counts."""
    item = headline_item(query)
    return f"{noun(item)}s in one window" if noun(item) else f"{titled(query, item)} in one window"


def sized(query: Query, value: Magnitude) -> str:
    """A value of the headline in words: 1 trend, MAX(D.delay_min) 29."""
    item = headline_item(query)
    return counted(value, noun(item)) if noun(item) else f"{titled(query, item)} {value}"


def answer(query: Query, ranking: Ranking, day: date, clock: Clock) -> Answer:
    """The answer of the day: first the top group and window, then how many groups and windows have results at all."""
    if not ranking.values:
        return Answer(f"On {spoken(day)} there was no trend in any window.", Magnitude.of(0), unit(query))
    item = headline_item(query)
    [top] = ranking.rows(1)
    value = ranking.values[0] or Magnitude.of(0)
    window = f"{clock.length(top['window_end'] - top['window_start'])} from {clock.time(top['window_start'])}"
    windows = len(set(ranking.starts()))
    most = f"had the most {noun(item)}s" if noun(item) else f"came first by {titled(query, item)}"
    if not query.group_by:
        if windows == 1:
            sentence = f"The {window} had {sized(query, value)} on {spoken(day)}."
        else:
            sentence = f"The {window} {most} on {spoken(day)}: {value}, of {windows} windows."
        return Answer(sentence, value, unit(query))
    group, every = ranking.keys[0], set(ranking.keys)
    first = None if ranking.values[0] is None else ranking.values[0].key
    leading = takewhile(lambda other: first == (None if other is None else other.key), ranking.values)
    equals = {key for key, _ in zip(ranking.keys, leading, strict=False)} - {group}
    also = f"; {counted(len(equals), 'other')} had as many" if equals else ""
    keys = "value" if len(query.group_by) == 1 else "combination"
    return Answer(
        capitalised(
            f"{named(groups(query), group)} {most} on {spoken(day)}: {value} in the {window}{also}. "
            f"{counted(len(every), keys)} of {listed(groups(query))} had results, in {counted(windows, 'window')}."
        ),
        value,
        unit(query),
    )


def listing(query: Query, ranking: Ranking, clock: Clock) -> Listing:
    """The day's rows, largest headline first; on the page, of many, those that differ."""
    first = headline_item(query)
    further = [item for item in query.returns if item.aggregate is not None and item is not first]
    best, chosen = ranking.rows(FILED), apart(ranking)
    # the ranking number is next to its group, so that a phone shows it without scrolling
    headings = [
        *(Heading(title) for title in groups(query)),
        Heading(titled(query, first), number=True),
        Heading("window", whole=True),
        *(Heading(titled(query, item), number=True) for item in further),
    ]
    cells = [
        [
            *(shown(row[name]) for name in query.group_by),
            _cell(first, row),
            clock.span(row["window_start"], row["window_end"]),
            *(_cell(item, row) for item in further),
        ]
        for row in ranking.table.take(pa.array(chosen, pa.int64())).to_pylist()
    ]
    values = [name for name in ranking.table.column_names if name not in _OWN and name not in query.group_by]
    header = [*query.group_by, "window_start_time", "window_end_time", "window_start", "window_end", *values]
    rows = [
        [
            *(row[name] for name in query.group_by),
            clock.iso(row["window_start"]),
            clock.iso(row["window_end"]),
            row["window_start"],
            row["window_end"],
            *(row[name] for name in values),
        ]
        for row in best
    ]
    return Listing(
        headings, cells, header, rows, len(ranking.values), order_of(query, ranking, chosen, titled(query, first))
    )


_OWN = ("day", "run_id", "window_start", "window_end", "certain")


def _cell(item: ReturnItem, row: Row) -> str:
    value = row.get(item.column)
    if isinstance(value, (str, bool)):
        return shown(value)
    return quantity(value_of(item, row))
