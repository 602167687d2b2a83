"""A day's longest episodes: by time, then by points; of equally long ones the first.

A slice that owns a part of a day knows pieces of episodes. Of these it names those that may be among the longest when
all pieces are joined (`candidates`). Cost: sorting the pieces.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, distinct
from cep_core.events.chunks import one_array
from cep_core.language.evaluator import CERTAIN
from cep_core.language.totals import Days, first_of_each, part_of, parts
from cep_core.monitoring.shared.episodes import RUN_COLUMNS


def longest_of_each_day(episodes: pa.Table, days: Days, most: int) -> Ints:
    """The rows of the longest episodes of each day, the longest first. `episodes`: with `RUN_COLUMNS` and `certain`.

    >>> runs = {"first_ts": [1, 5, 9], "first_offset": [0] * 3, "last_ts": [2, 8, 12], "last_offset": [0] * 3}
    >>> runs |= {"points": [2, 2, 4], "touches_begin": [False] * 3, "touches_end": [False] * 3, "certain": [1, 5, 9]}
    >>> longest_of_each_day(pa.table(runs), None, 2).tolist()
    [2, 1]
    """
    first, last = (episodes[name].to_numpy().view(np.uint64) for name in ("first_ts", "last_ts"))
    part = part_of(episodes[CERTAIN].to_numpy(), days)
    values = [name for name in episodes.column_names if name not in (*RUN_COLUMNS, CERTAIN)]
    table = episodes.select([*values, "first_ts", "first_offset", "points"])
    table = table.append_column("part", pa.array(part)).append_column("lasts", pa.array(last - first))
    keys = [("part", "ascending"), ("lasts", "descending"), ("points", "descending")]
    keys += [(name, "ascending") for name in ("first_ts", "first_offset", *values)]
    order = one_array(pc.sort_indices(table, sort_keys=keys)).to_numpy().astype(np.int64)
    return order[first_of_each(part[order], most)]


def candidates(pieces: pa.Table, days: Days, most: int, cut: tuple[bool, bool]) -> Ints:
    """The rows of pieces that may begin, or go on, one of the longest episodes of a day.

    `cut`: as in `Ownership`. A piece that reaches a cut may be short and its episode long.
    """
    part = part_of(pieces[CERTAIN].to_numpy(), days)
    begins, ends = (one_array(pieces[name]).to_numpy(zero_copy_only=False) for name in ("touches_begin", "touches_end"))
    at_ends = (begins & (part == 0) & cut[0]) | (ends & (part == len(parts(days)) - 1) & cut[1])
    return distinct(np.concatenate([longest_of_each_day(pieces, days, most), np.flatnonzero(at_ends)]))
