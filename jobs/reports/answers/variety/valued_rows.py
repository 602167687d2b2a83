"""Rows of values at a moment that differ, violations and episodes: not twenty of one airline within minutes.

A page shows the best row of each value on which violations concentrate, then always the one with the most values and
hours that none above it has, and ends where no row has another.

Cost: a sort of each column's values, and a pass over all values for each row that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.events.chunks import one_array
from jobs.reports.answers.listing import SHOWN
from jobs.reports.answers.variety.codes import coded, codes_of
from jobs.reports.answers.variety.differing import differing
from jobs.reports.words.values import listed

Leaders = tuple[str, Sequence[str | None]]
"""A column and its values, the one with the most violations first."""
HOURS = 24
"""Rows in different ones of so many parts of the day differ."""


def choose(
    rows: pa.Table, moments: Ints, interval: tuple[int, int], titles: Mapping[str, str], leaders: Leaders | None
) -> tuple[list[int], str]:
    """Numbers of rows, and of what they are the best: "of each airline, then those with ...".

    `rows`: the columns of values, the best rows first; `moments`: of each row; `titles`: of the columns.
    `leaders`: the column on which violations concentrate, None if there is none.
    """
    names = [*titles]
    if leaders is not None:
        leading, each = _of_values(rows, leaders), f"of each {titles[leaders[0]]}"
    else:
        leading = sorted(coded(rows, names)[1].tolist())
        each = f"of each {listed([*titles.values()], len(names))}" if len(leading) > 1 else "of all"
    begin, end = interval
    hours = (moments - begin) // max((end - begin) // HOURS, 1)
    columns = [codes_of(one_array(rows[name])) for name in names] + [hours - hours.min(initial=0)]
    chosen = differing(_apart(columns), np.full(rows.num_rows, len(columns)), leading)
    if len(leading) >= SHOWN:
        return chosen, f"{each}, {'for those with the most violations' if leaders else 'as many as fit'}"
    then = ", then those with the most values and hours that none above has"
    ends = "; the others have these values in these hours" if len(chosen) < SHOWN else ""
    if not names:
        return chosen, f"of each hour{'; the others are in these hours' if ends else ''}"
    return chosen, f"{each}{then}{ends}"


def _of_values(rows: pa.Table, leaders: Leaders) -> list[int]:
    """The first row of each value, the value with the most violations first."""
    column, ordered = leaders
    _, firsts = coded(rows, [column])
    values = rows[column].take(pa.array(firsts)).to_pylist()
    first = dict(zip(values, firsts.tolist(), strict=True))
    return [first[value] for value in ordered if value in first]


def _apart(columns: Sequence[Ints]) -> Ints:
    """The numbers of all columns, row by row, those of different columns being different."""
    above: Ints = np.cumsum([0, *(column.max(initial=0) + 1 for column in columns[:-1])])
    numbers: Ints = (np.stack(columns, axis=1) + above).reshape(-1)
    return numbers
