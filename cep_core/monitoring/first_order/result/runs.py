"""The runs of violating points of each day, and the points that judge them, as `monitoring.shared.episodes` takes them.

Cost: a sort of the rows of the policy's relation, and of those of the relation that judges.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cep_core.arrays import Ints
from cep_core.monitoring.first_order.arrays.relation import Relation, bits_of
from cep_core.monitoring.first_order.result.satisfactions import Satisfactions
from cep_core.monitoring.shared.episodes import Judged, Runs, at_every_point


def runs_of_days(own: Satisfactions, points_of_days: Sequence[tuple[int, int]]) -> tuple[Satisfactions, Runs]:
    """The violations cut at the ends of days, one row for each run, and the same as `Runs`.

    `points_of_days`: ascending ranges of points [first, last).
    """
    relation = own.relation
    starts = np.array([first for first, _ in points_of_days], np.int64)
    ends = np.array([last for _, last in points_of_days], np.int64)
    low = np.searchsorted(ends, relation.begin, side="right")
    counts = np.maximum(np.searchsorted(starts, relation.end, side="left") - low, 0)
    row = np.repeat(np.arange(relation.rows), counts)
    part = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts - low, counts)
    begin, end = np.maximum(relation.begin[row], starts[part]), np.minimum(relation.end[row], ends[part])
    number = numbers_of([relation], relation.variables)[0][row]
    order = np.lexsort((begin, number))
    order = order[begin[order] < end[order]]  # a day without points is in the midst of a run
    row, part, begin, end, number = row[order], part[order], begin[order], end[order], number[order]
    cut = Satisfactions(relation.at(row, begin, end), own.texts, own.types)
    return cut, Runs(number, begin, end, starts[part], ends[part])


def judged_by(judges: Relation | None, runs: Relation) -> Judged:
    """What counts the judging points before a point for each of the runs. None: every point judges.

    >>> judges = Relation(("x",), (np.array([7, 7]),), np.array([0, 5]), np.array([2, 6]))
    >>> judged = judged_by(judges, Relation(("x",), (np.array([7, 8]),), np.array([0, 0]), np.array([1, 1])))
    >>> judged(np.array([0, 0, 0, 1]), np.array([1, 3, 6, 6])).tolist()
    [1, 2, 3, 0]
    """
    if judges is None:
        return at_every_point
    own, of_runs = numbers_of([judges, runs], judges.variables)
    order = np.lexsort((judges.begin, own))
    own, begin, end = own[order], judges.begin[order], judges.end[order]
    before = np.append(0, np.cumsum(end - begin))
    span = int(end.max(initial=0)) + 2
    places = own * span + begin
    end = np.append(end, 0)

    def judged(rows: Ints, points: Ints) -> Ints:
        number = of_runs[rows]
        first = np.searchsorted(places, number * span)
        last = np.searchsorted(places, number * span + np.minimum(points, span - 1))
        beyond = np.where(last > first, np.maximum(end[last - 1] - points, 0), 0)
        count: Ints = before[last] - before[first] - beyond
        return count

    return judged


def edges_of_judges(judges: Relation, first: int, last: int) -> tuple[Relation, Ints]:
    """The first and the last judging point in [first, last) of each valuation: the rows, and their points."""
    inside = judges.between(first, last)
    [number] = numbers_of([inside], inside.variables)
    order = np.lexsort((inside.begin, number))
    new = np.flatnonzero(np.diff(number[order], prepend=-1))
    ends = np.append(new[1:], len(order))[: len(new)] - 1
    rows = np.concatenate([order[new], order[ends]])
    points = np.concatenate([inside.begin[order[new]], inside.end[order[ends]] - 1])
    return inside.of_rows(rows), points


def numbers_of(relations: Sequence[Relation], variables: Sequence[str]) -> list[Ints]:
    """For each relation a number for each row, equal where the values of the variables are.

    >>> one = Relation(("x",), (np.array([7, 8, 7]),), np.arange(3), np.arange(3) + 1)
    >>> [number.tolist() for number in numbers_of([one, one.of_rows(slice(1, 3))], ("x",))]
    [[0, 1, 0], [1, 0]]
    """
    sizes = np.cumsum([relation.rows for relation in relations])
    number = np.zeros(int(sizes[-1]), np.int64)
    for name in variables:
        bits = np.concatenate([bits_of(relation.column(name)) for relation in relations])
        _, codes = np.unique(bits, return_inverse=True)
        number = np.unique(number * (len(codes) + 1) + codes, return_inverse=True)[1]
    return np.split(number, sizes[:-1])
