"""What is written of pairs: each as a row, or one row for all that end at one event (SASE++, section 5.2).

For compact rows pairs are gathered some at a time: of each row its number of pairs, and each side's matches once. The
row holds for each variable every event that one of these matches binds to it. Cost: sorting the pairs; memory: the
rows, and for each the matches of both sides that it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.matching.arrays.paths import Bound
from cep_core.matching.pairs.pair_columns import Pairs, bound_events
from cep_core.matching.pairs.pair_sides import PairSide
from cep_core.matching.result.match_output import MatchOutput
from cep_core.matching.result.match_rows import KEY, LAST_SEQ, PATH, batch_of, event_column, lists_of
from cep_core.matching.result.totals import Days, part_of
from cep_core.numbers.count_columns import COUNTS, count_columns

ROW = (LAST_SEQ, "window_start", "group", "part")
"""What the pairs of one row have in common: last event, window, values of the equivalences, operating day."""


class ListedPairs:
    """Writes each pair as a row."""

    def __init__(self, output: MatchOutput) -> None:
        self._output = output

    def take(self, pairs: Pairs, columns: Mapping[str, pa.Array], days: Days) -> Iterator[pa.RecordBatch]:
        """The rows of some pairs."""
        yield batch_of(columns, self._output.partial)

    def rest(self, left: PairSide, right: PairSide, events: pa.Table) -> Iterator[pa.RecordBatch]:
        """What is written at the end: nothing."""
        yield from ()


class CompactPairs:
    """Gathers pairs of matches of the left and of the right side, and writes a row for all that end at one event."""

    def __init__(self, output: MatchOutput) -> None:
        self._output = output
        self._rows: list[pa.Table] = []
        self._sides: tuple[list[pa.Table], list[pa.Table]] = ([], [])

    def take(self, pairs: Pairs, columns: Mapping[str, pa.Array], days: Days) -> Iterator[pa.RecordBatch]:
        """Gathers some pairs."""
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
    """What pairs of each row add up to; `count` of them."""
    found = pairs.group_by(list(ROW), use_threads=False).aggregate(
        [("first_ts", "min"), ("last_ts", "min"), (CERTAIN, "min"), ("count", "sum")]
    )
    return found.rename_columns([name.removesuffix("_min").removesuffix("_sum") for name in found.column_names])


def _distinct(pairs: pa.Table, name: str) -> pa.Table:
    return pairs.group_by([*ROW, name], use_threads=False).aggregate([])


def _bound(its: Bound, row: Ints, match: Ints, rows: int) -> Bound:
    """The events of a variable in each row, each once, in the order of time."""
    lengths = its.lengths[match]
    ends = np.cumsum(lengths)
    places = np.repeat(its.offsets[match] - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)
    pairs = np.unique(np.stack([np.repeat(row, lengths), its.rows[places]]), axis=1)
    return Bound(np.searchsorted(pairs[0], np.arange(rows + 1)), pairs[1])


def _paths(bound: Sequence[Bound], ts: Ints, seq: Ints) -> pa.Array:
    """The (ts, seq, number of the variable) of the events of each row, in this order."""
    lengths = np.stack([its.lengths for its in bound], axis=1)
    owner = np.concatenate([np.repeat(np.arange(len(its.lengths)), its.lengths) for its in bound])
    variable = np.repeat(np.arange(len(bound)), lengths.sum(axis=0))
    rows = np.concatenate([its.rows for its in bound])
    order = np.lexsort((variable, rows, owner))
    nodes = np.stack([ts[rows], seq[rows], variable], axis=1)[order]
    return lists_of(nodes, np.concatenate([[0], np.cumsum(lengths.sum(axis=1))]))
