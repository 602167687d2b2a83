"""Writes pairs: one row for each pair, or one row for all pairs that end at one event (SASE++, section 5.2).

For compact rows, pairs are gathered in batches. For each row this keeps the number of its pairs, and the matches of
each side once. For each variable, the row has every event that one of these matches binds to it. Cost: sorting the
pairs. Memory: the rows, and for each row the matches of both sides in its pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.language.totals import Days, part_of
from cep_core.matching.arrays.paths import Bound
from cep_core.matching.pairs.pair_columns import Pairs, bound_events
from cep_core.matching.pairs.pair_sides import PairSide
from cep_core.matching.result.match_output import MatchOutput
from cep_core.matching.result.match_rows import KEY, LAST_SEQ, PATH, batch_of, event_column, lists_of
from cep_core.numbers.count_columns import COUNTS, count_columns

ROW = (LAST_SEQ, "window_start", "group", "part")
"""The common values of the pairs of one row: last event, window, values of the equivalences, operating day."""


class ListedPairs:
    """Writes each pair as a row."""

    def __init__(self, output: MatchOutput) -> None:
        self._output = output

    def take(self, pairs: Pairs, columns: Mapping[str, pa.Array], days: Days) -> Iterator[pa.RecordBatch]:
        """The rows of these pairs."""
        yield batch_of(columns, self._output.partial)

    def rest(self, left: PairSide, right: PairSide, events: pa.Table) -> Iterator[pa.RecordBatch]:
        """The rows written at the end: none."""
        yield from ()


class CompactPairs:
    """Gathers pairs, and writes one row for all pairs that end at one event."""

    def __init__(self, output: MatchOutput) -> None:
        self._output = output
        self._rows: list[pa.Table] = []
        self._sides: tuple[list[pa.Table], list[pa.Table]] = ([], [])

    def take(self, pairs: Pairs, columns: Mapping[str, pa.Array], days: Days) -> Iterator[pa.RecordBatch]:
        """Gathers these pairs; writes no rows yet."""
        borders = {name: columns[name].to_numpy() for name in ("first_ts", "last_ts", LAST_SEQ, CERTAIN)}
        count = len(pairs.of_left)
        borders["window_start"] = (
            columns["window_start"].to_numpy() if "window_start" in columns else np.zeros(count, int)
        )
        borders |= {"group": pairs.left.group[pairs.of_left], "part": part_of(borders[CERTAIN], days)}
        borders |= {"count": np.ones(count, np.int64), "left": pairs.of_left, "right": pairs.of_right}
        table = pa.table(borders)
        self._rows.append(_rows_of(table))
        for name, side in zip(("left", "right"), self._sides, strict=True):
            side.append(_distinct(table, name))
        yield from ()

    def rest(self, left: PairSide, right: PairSide, events: pa.Table) -> Iterator[pa.RecordBatch]:
        """The rows of all pairs, by last event."""
        if not self._rows:
            return
        rows = _rows_of(pa.concat_tables(self._rows))
        rows = rows.sort_by([(name, "ascending") for name in ("last_ts", *ROW)])
        numbered = rows.select(ROW).append_column("row", pa.array(np.arange(len(rows))))
        made_of = []
        for name, side in zip(("left", "right"), self._sides, strict=True):
            distinct = _distinct(pa.concat_tables(side), name).join(numbered, list(ROW))
            made_of.append((distinct["row"].to_numpy(), distinct[name].to_numpy()))
        columns: dict[str, pa.Array] = {
            name: rows[name].combine_chunks() for name in ("first_ts", "last_ts", LAST_SEQ, "window_start", CERTAIN)
        }
        query, seq = self._output.query, events["seq"].to_numpy()
        columns["window_end"] = pc.add(columns["window_start"], query.window.size)
        columns |= dict(zip(COUNTS, count_columns(rows["count"].to_numpy(), {}), strict=True))
        variables = bound_events(query, (left.table, right.table), events)
        bound = {
            name: _bound(matches, *made_of[0 if on_left else 1], len(rows))
            for name, (on_left, matches) in variables.items()
        }
        columns |= {name: event_column(of_rows, seq, as_list=True) for name, of_rows in bound.items()}
        columns[PATH] = _paths(list(bound.values()), events["ts"].to_numpy(), seq)
        row, a_place = np.unique(made_of[0][0], return_index=True)
        assert len(row) == len(rows)
        columns[KEY] = left.key.take(pa.array(made_of[0][1][a_place]))
        if len(rows):
            yield batch_of(columns, self._output.partial)


def _rows_of(pairs: pa.Table) -> pa.Table:
    """Joins the pairs of each row: earliest times, and the sum of `count`."""
    grouped = pairs.group_by(list(ROW), use_threads=False).aggregate(
        [("first_ts", "min"), ("last_ts", "min"), (CERTAIN, "min"), ("count", "sum")]
    )
    return grouped.rename_columns([name.removesuffix("_min").removesuffix("_sum") for name in grouped.column_names])


def _distinct(pairs: pa.Table, name: str) -> pa.Table:
    return pairs.group_by([*ROW, name], use_threads=False).aggregate([])


def _bound(its: Bound, row: Ints, match: Ints, rows: int) -> Bound:
    """The events of a variable in each row: each event once, in time order."""
    lengths = its.lengths[match]
    ends = np.cumsum(lengths)
    places = np.repeat(its.offsets[match] - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)
    pairs = np.unique(np.stack([np.repeat(row, lengths), its.rows[places]]), axis=1)
    return Bound(np.searchsorted(pairs[0], np.arange(rows + 1)), pairs[1])


def _paths(bound: Sequence[Bound], ts: Ints, seq: Ints) -> pa.Array:
    """The (ts, seq, number of the variable) of the events of each row, in this order."""
    lengths = np.stack([events.lengths for events in bound], axis=1)
    owner = np.concatenate([np.repeat(np.arange(len(events.lengths)), events.lengths) for events in bound])
    variable = np.repeat(np.arange(len(bound)), lengths.sum(axis=0))
    rows = np.concatenate([events.rows for events in bound])
    order = np.lexsort((variable, rows, owner))
    nodes = np.stack([ts[rows], seq[rows], variable], axis=1)[order]
    return lists_of(nodes, np.concatenate([[0], np.cumsum(lengths.sum(axis=1))]))
