"""The tables of a matching query: the listing and, for days whose listing is cut, the compact rows of all matches.

If only a listing can count the matches, the work may be exponential in the events. Days are then evaluated one by one:
if a day exhausts its budget, only this day has no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from cep_core.language.day_results import DayResult, one_by_one, together
from cep_core.language.evaluator import RESULT, Evaluator, Ownership, ResultTable, tagged
from cep_core.language.patterns.query import Query

COMPACT = "_compact"
"""The suffix of the table of compact rows."""
RANGES, LAST_TS = "last events, one range of time after the other", "last_ts"
"""Where all matches are listed: what bounds the rows that are merged at once, and the column of the ranges."""


def match_tables(
    listing: Evaluator, query: Query, most: int | None, *, by_listing: bool, compact: Callable[[], Evaluator] | None
) -> tuple[ResultTable, ...]:
    """The tables. `most`: the rows that the listing keeps of a day (None: all). `by_listing`: only a listing can count
    the matches. `compact` makes the evaluator of compact rows."""
    variables = tuple(variable.name for variable in query.positive)
    blocks = one_by_one if by_listing else together
    bound, apart = (RANGES, LAST_TS) if most is None else ("max_matches of each slice and day", "")
    result = ResultTable(
        RESULT, listing.schema, listing.merge, blocks, listing.evaluate, variables=variables, bound=bound, apart=apart
    )
    if compact is None:
        return (result,)
    rows = compact()

    def evaluate(
        events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        return tagged(rows.evaluate(events, owned, points), COMPACT)

    comment = (
        "One row stands for all matches of {query} that end at one event, on days whose listing was cut: each "
        "variable's events are those that some of these matches binds to it"
    )
    more = ResultTable(
        COMPACT, rows.schema, rows.merge, cut_days, evaluate, comment, variables, bound=RANGES, apart=LAST_TS
    )
    return result, more


def cut_days(days: Sequence[DayResult]) -> Sequence[Sequence[DayResult]]:
    """The days whose listing was cut, one by one."""
    return [[day] for day in days if day.is_cut]
