"""Results of an aggregation that differ: windows that overlap hold much of the same, and so do their results.

A page shows the best result of each group, then the best whose windows overlap none above of the same group. Cost:
linear in the results.
"""

from __future__ import annotations

from typing import Any

from cep_core.language.patterns.query import Query
from jobs.reports.answers.aggregations.ranking import Ranking
from jobs.reports.answers.listing import SHOWN
from jobs.reports.words.values import listed

Group = tuple[Any, ...]


def apart(ranking: Ranking, at_most: int = SHOWN) -> list[int]:
    """Numbers of results: all, if few; else the first of each group, then those that overlap none of it."""
    if len(ranking.values) <= at_most:
        return [*range(len(ranking.values))]
    leading: dict[Group, int] = {}
    for number, key in enumerate(ranking.keys):
        if leading.setdefault(key, number) == number and len(leading) == at_most:
            break
    chosen = [*leading.values()]
    if len(chosen) == at_most:
        return chosen
    starts, ends = ranking.starts(), ranking.table["window_end"].to_pylist()
    taken = {key: [(starts[number], ends[number])] for key, number in leading.items()}
    for number, key in enumerate(ranking.keys):
        start, end = starts[number], ends[number]
        if all(end <= first or last <= start for first, last in taken[key]):
            taken[key].append((start, end))
            chosen.append(number)
            if len(chosen) == at_most:
                break
    return chosen


def order_of(query: Query, ranking: Ranking, chosen: list[int], headline: str) -> str:
    """How results were chosen, in words."""
    if len(chosen) == len(ranking.values) and chosen == sorted(chosen):
        return f"largest {headline} first"
    titles = [query.schema.title_of(name) for name in query.group_by]
    each, same = (f" of each {listed(titles, len(titles))}", " of the same") if titles else ("", "")
    leading = len({ranking.keys[number] for number in chosen})
    if leading == SHOWN:
        return f"the largest {headline}{each}, largest first"
    then = f", then the largest in windows that overlap none above{same}" if leading < len(chosen) else ""
    ends = "; the windows of the others overlap these" if len(chosen) < min(SHOWN, len(ranking.values)) else ""
    return f"the largest {headline}{each}{then}{ends}"
