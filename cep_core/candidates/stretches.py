"""Stretches of a long slice, evaluated one after the other: arrays take the memory of a stretch, and not of all.

As slices do, a stretch reads the events within the query's reach before the moments that it owns (docs/semantics.md,
6): the results of all stretches are those of one evaluation. A stretch has about LEAST to twice as many candidates, and
more where stretches would read back too much: at most one event in READ_BACK is read twice. Of a slice the memory
counts more than some milliseconds: if this makes fewer than PARTS stretches, it has up to so many, of at least SHORT
candidates, and one event in PARTS_READ_BACK may be read twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.events.chunks import one_array
from cep_core.events.event_types import EventTypes
from cep_core.events.table import with_type_codes
from cep_core.language.evaluator import Ownership, Reach
from cep_core.language.patterns.query import Query, Strategy

LEAST = 1 << 17
"""The fewest candidates of a stretch: each takes 50 to 150 bytes, and each stretch up to a millisecond more."""
READ_BACK = 16
PARTS, SHORT, PARTS_READ_BACK = 5, 1 << 14, 4

Stretch = tuple[pa.Table, Ownership | None]


def stretches_of(
    query: Query, reach: Reach, events: pa.Table, owned: Ownership | None, *, whole: bool = False
) -> Iterator[Stretch]:
    """The events of each stretch with what it owns. `events`: in (ts, seq) order. `whole`: they are no slice.

    A query whose reach is not a time is evaluated at once.
    """
    if events.num_rows < 2 * (LEAST if whole else SHORT) or reach.time is None or reach.events or reach.points:
        yield events, owned
        return
    events = with_type_codes(events)
    used = _used(query, events)
    moments = _moments(events, owned, reach.time, used // LEAST, READ_BACK)
    if not whole and len(moments) <= PARTS:
        moments = _moments(events, owned, reach.time, min(used // SHORT, PARTS), PARTS_READ_BACK)
    if not moments:
        yield events, owned
        return
    ts, owned = events.column("ts").to_numpy(), owned or Ownership()
    for number, (begin, end) in enumerate(pairwise(moments), 1):
        first = 0 if number == 1 else int(np.searchsorted(ts, begin - reach.time))
        last = len(ts) if number == len(moments) - 1 else int(np.searchsorted(ts, end))
        inside = tuple(day for day in owned.days or () if begin < day < end)
        yield events.slice(first, last - first), replace(owned, days=(begin, *inside, end), cut=(True, True))


def _used(query: Query, events: pa.Table) -> int:
    """About how many events have a type that the query names; all where those of other types count as well."""
    if query.strategy is Strategy.PARTITION:
        return events.num_rows
    types = EventTypes(one_array(events.column("event_type")))
    return sum(types.about(name) for name in {each.event_type for each in query.variables})


def _moments(events: pa.Table, owned: Ownership | None, back: int, stretches: int, read_back: int) -> list[int]:
    """The moments at which stretches begin, and the end of the last; none if there is one stretch.

    `stretches`: how many there may be. `read_back`: one event in so many may be read twice.
    """
    if stretches < 2:
        return []
    ts: Ints = events.column("ts").to_numpy()
    if owned is not None and owned.days is not None:
        begin, end = owned.days[0], owned.days[-1]
    else:
        begin, end = int(ts[0]), int(ts[-1]) + back + 1
    first, last = np.searchsorted(ts, [begin, end])
    while stretches > 1 and first < last:
        cuts = np.unique(ts[first + (last - first) * np.arange(1, stretches) // stretches])
        cuts = cuts[(cuts > begin) & (cuts < end)]
        again = np.searchsorted(ts, cuts) - np.searchsorted(ts, cuts - back)
        if read_back * int(again.sum()) <= last - first:
            return [begin, *cuts.tolist(), end] if len(cuts) else []
        stretches = 3 * stretches // 4
    return []
