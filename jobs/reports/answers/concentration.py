"""On whom a day's violations concentrate: the column whose values differ most in their numbers of violations.

Columns are compared by the index of dispersion of these numbers, variance over mean: it is 0 where all values have as
many, about 1 where violations fall on values by chance, and above where few values have most of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from jobs.reports.answers.listing import FILED, Heading, Listing, numbers
from jobs.reports.answers.variety.leading import leading as those_leading
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import quantity, share
from jobs.reports.words.values import shown


@dataclass(frozen=True)
class Concentration:
    """The numbers of a day's listed violations by the values of one column, most first."""

    column: str
    title: str
    counts: Mapping[str | None, int]
    alone: bool = False
    """Whether the result has no other column of values."""

    @property
    def leaders(self) -> tuple[str, Sequence[str | None]]:
        """The column and its values, most violations first."""
        return self.column, [*self.counts]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def concentration(results: pa.Table, columns: Sequence[str], named: Mapping[str, str]) -> Concentration | None:
    """The text column on whose values violations concentrate. None: no column has two values, one of them twice."""
    texts = [name for name in columns if pa.types.is_string(results.schema.field(name).type)]
    tallies = {name: Counter(results[name].to_pylist()) for name in texts}
    telling = [name for name, tally in tallies.items() if 1 < len(tally) < tally.total()]
    if not telling:
        return None
    column = max(telling, key=lambda name: dispersion(list(tallies[name].values())))
    counts = dict(sorted(tallies[column].items(), key=lambda item: (-item[1], shown(item[0]))))
    return Concentration(column, named.get(column, column), counts, len(columns) == 1)


def dispersion(numbers: Sequence[int]) -> float:
    """Variance over mean of two or more numbers.

    >>> dispersion([5, 5, 5]), dispersion([9, 1, 2])
    (0.0, 4.75)
    """
    mean = sum(numbers) / len(numbers)
    return sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1) / mean


def leading(concentration: Concentration) -> str:
    """Who has the most, as the end of a sentence.

    >>> leading(Concentration("c", "airline", {"MQ": 9, "EV": 9, "B6": 1}))
    'airline MQ and 1 other had the most, 9 each'
    """
    (value, most), *others = concentration.counts.items()
    ties = sum(number == most for _, number in others)
    also = f" and {ties} other{'' if ties == 1 else 's'}" if ties else ""
    return f"{concentration.title} {shown(value)}{also} had the most, {most:,}{' each' if ties else ''}"


def leaders(concentration: Concentration, episodes: pa.Table | None, clock: Clock, *, cut: bool) -> Listing:
    """A row for each value: violations, their share, and its listed episodes with the longest of them."""
    spans: dict[str | None, list[int]] = {value: [] for value in concentration.counts}
    if episodes is not None:
        rows = (episodes[name].to_pylist() for name in (concentration.column, "first_ts", "last_ts"))
        for value, first, last in zip(*rows, strict=True):
            spans.setdefault(value, []).append(last - first)
    chosen, others = those_leading(list(concentration.counts.items()))
    counted = "listed violations" if cut else "violations"
    headings = [
        Heading(concentration.title),
        *numbers(counted, "share", "episodes"),
        Heading("longest episode", whole=True),
    ]
    cells = [
        [
            shown(value),
            quantity(number),
            share(number / concentration.total),
            quantity(len(spans[value])),
            length(max(spans[value], default=0), clock),
        ]
        for value, number in chosen
    ]
    header = [concentration.column, counted.replace(" ", "_"), "episodes", "longest_episode"]
    filed = [
        [value, number, len(spans[value]), max(spans[value], default=0)]
        for value, number in list(concentration.counts.items())[:FILED]
    ]
    return Listing(headings, cells, header, filed, len(concentration.counts), f"most {counted} first{others}")


def length(duration: int, clock: Clock) -> str:
    """How long an episode lasts.

    >>> length(0, Clock()), length(5400, Clock())
    ('a moment', '1.5 hours')
    """
    return clock.length(duration) if duration else "a moment"
