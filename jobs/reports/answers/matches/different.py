"""Matches that differ: of a day with more than a page can show, not the twenty that are nearly the same.

Under skip-till-any-match the longest matches of a day are variations of one: they share all events but one. So a page
shows the foremost match of each key, then always the one with the most events that no match above it has, and ends
where no match has another event.

Cost: a pass over the listed matches' events for each match that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from cep_core.language.patterns.query import Query
from jobs.reports.answers.attributes import entity_titles
from jobs.reports.answers.event_index import EventIndex
from jobs.reports.answers.listing import SHOWN
from jobs.reports.answers.matching import CONFIDENCE, Chosen, foremost_order, match_of, order_of, ranked, variables
from jobs.reports.answers.tallies import Key, Tally, bound, keys_of
from jobs.reports.answers.variety.differing import differing
from jobs.reports.words.values import listed


def choose(query: Query, results: pa.Table, index: EventIndex, whose: Tally[Key]) -> Chosen:
    """The matches for a page: all of them, if they are few; else those that differ. `whose`: matches by key."""
    rows = results.to_pylist()
    order = foremost_order(query, rows)
    if len(rows) <= SHOWN:
        return Chosen([match_of(query, rows[number], index) for number in order], order_of(results))
    keys = keys_of(query, results, index)
    first: dict[Key, int] = {}
    for number in order if keys else ():
        first.setdefault(keys[number], number)
    leading = [first[key] for key, _ in ranked(whose) if key in first][:SHOWN] or order[:1]
    seqs = [_seqs(query, rows[number]) for number in order]
    held = np.array([seq for own in seqs for seq in own], dtype=np.int64)
    lengths = np.array([len(own) for own in seqs], dtype=np.int64)
    numbers = differing(held, lengths, [order.index(number) for number in leading])
    chosen = [match_of(query, rows[order[place]], index) for place in numbers]
    best = "likeliest" if CONFIDENCE in results.column_names else "longest"
    each = f"the {best} of each {listed(entity_titles(query))}" if len(first) > 1 else f"the {best}"
    if len(leading) == SHOWN:
        return Chosen(chosen, f"{each}, for those with the most matches")
    ends = "; the others have no further event" if len(chosen) < SHOWN else ""
    return Chosen(chosen, f"{each}, then those with the most events that none above has{ends}")


def _seqs(query: Query, row: Mapping[str, Any]) -> list[int]:
    return [seq for name in variables(query) for seq in bound(row[name])]
