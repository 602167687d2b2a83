"""What a slice reports of the episodes of one log: their pieces, the edges of parts of days, the values judged.

`monitoring.shared.episodes` says what pieces and edges are, and merges them; `monitoring.shared.judged` says which
values are judged on a day. Cost: a sort of the rows of the policy's relation;
where a policy judges at some points only, also of the relation that judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.time_points import OFFSET, offsets_in_stamp
from cep_core.language.evaluator import Ownership
from cep_core.language.totals import Days
from cep_core.monitoring.first_order.result.runs import edges_of_judges, judged_by, numbers_of, runs_of_days
from cep_core.monitoring.first_order.result.satisfactions import Satisfactions
from cep_core.monitoring.shared.episodes import edges_of_part, pieces

PartsOfDays = Sequence[tuple[int, int]]
"""Ascending ranges of points [first, last): those that become certain in the part of each day that a slice owns."""


def day_pieces(
    own: Satisfactions, judges: Satisfactions | None, log: PointLog, points_of_days: PartsOfDays
) -> pa.Table:
    """The episodes of each part of a day: `RUN_COLUMNS`, then the values of the free variables."""
    cut, runs = runs_of_days(own, points_of_days)
    judged = judged_by(None if judges is None else judges.relation, cut.relation)
    table, start = pieces(runs, log.stamps, offsets_in_stamp(log.stamps), judged)
    for name, column in zip(cut.relation.variables, cut.relation.columns, strict=True):
        table = table.append_column(name, cut.values(name, column[start]))
    return table


def ranges_of_days(stamps: Ints, days: Days, after: int) -> Iterator[tuple[int, int]]:
    """The range of points whose verdicts become certain on each day, `after` their stamps."""
    if days is None:
        yield 0, len(stamps)
        return
    bounds = np.searchsorted(stamps, [day - after for day in days])
    yield from pairwise(bounds.tolist())


def judged_on_days(
    judges: Satisfactions | None,
    log: PointLog,
    points_of_days: PartsOfDays,
    owned: Ownership,
    constants: Mapping[str, int | float | str],
) -> Iterator[pa.Table]:
    """`ts` of a judging point in each part, for all values on which judging depends, with these."""
    if judges is None:
        yield pa.table(
            {"ts": log.stamps[np.array([first for first, last in points_of_days if first < last], np.int64)]}
        )
        return
    for first, last in points_of_days:
        inside = judges.relation.between(first, last)
        if inside.rows:
            [number] = numbers_of([inside], inside.variables)
            rows = inside.of_rows(np.unique(number, return_index=True)[1])
            yield _owned(pa.table({"ts": log.stamps[rows.begin], **judges.columns(rows)}), owned, constants)


def cut_edges(
    judges: Satisfactions | None,
    log: PointLog,
    points_of_days: PartsOfDays,
    owned: Ownership,
    constants: Mapping[str, int | float | str],
) -> Iterator[pa.Table]:
    """`ts` and `offset` of the edges of the parts that are cut, with the values on which judging depends."""
    offsets = offsets_in_stamp(log.stamps)
    ends = [end for end, cut in zip((points_of_days[0], points_of_days[-1]), owned.cut, strict=True) if cut]
    for first, last in dict.fromkeys(ends):
        if first < last:
            values: dict[str, pa.Array] = {}
            if judges is None:
                near = edges_of_part(log.points, first, last)
            else:
                rows, near = edges_of_judges(judges.relation, first, last)
                values = judges.columns(rows)
            table = pa.table({"ts": log.stamps[near], OFFSET: offsets[near], **values})
            yield table if judges is None else _owned(table, owned, constants)


def _owned(edges: pa.Table, owned: Ownership, constants: Mapping[str, int | float | str]) -> pa.Table:
    """Of other valuations a slice may lack events, so that their edges are wrong."""
    if owned.owns is None or not edges.num_rows:
        return edges
    known = {name: edges[name] for name in owned.variables if name in edges.column_names}
    known |= {name: pa.repeat(value, edges.num_rows) for name, value in constants.items() if name in owned.variables}
    keep = owned.owns(pa.table(known)) if known else np.ones(edges.num_rows, np.bool_)
    return edges.filter(pa.array(keep))
