"""The causes of a day's longest episodes: for each the smallest proof of its first violation, and where it is the same.

A propositional formula is a first-order one without variables, over the events for which its atoms hold. One proof
stands for the points of the episode whose proofs rest on the same (`shared.why.basis`); the first `COMPARED` points are
compared. A slice tells the pieces of episodes that may be among the longest (`shared.longest`), and the first points of
each. When all pieces are joined, the slices that own points of the day's longest episodes are asked about these points,
so no plan changes the table, and nothing is proved that the day does not keep.

Cost: of pieces at most `COMPARED` rows. Of each episode that is kept as many proofs, for the events in each violation's
reach; those of one sub-log share their claims. A proof with more than `MOST_CLAIMS` claims is told by its first one,
and a violation that may have as many is compared with no other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.events.logs.time_points import OFFSET, offsets_in_stamp
from cep_core.language.propositional.facts.reach import certain_after, reach_of
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.propositional.text.printing import formula_text
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.walk import walk
from cep_core.language.totals import Days
from cep_core.monitoring.propositional.arrays.points import SplitTrace
from cep_core.monitoring.shared.causes import MOST_CLAIMS, cause_rows
from cep_core.monitoring.shared.episodes import RUN_COLUMNS, codes_of, joined_episodes
from cep_core.monitoring.shared.listing import with_certain
from cep_core.monitoring.shared.longest import longest_of_each_day
from cep_core.monitoring.shared.why.basis import HERE, NOWHERE, basis_of
from cep_core.monitoring.shared.why.large_proofs import proof_in_part
from cep_core.monitoring.shared.why.proof import Valuation
from cep_core.monitoring.shared.why.proving import ProofMaker

COMPARED = 20
"""The points of an episode whose proofs are compared."""
SHARED_BY = (pa.field("same_for", pa.int64(), False), pa.field("compared", pa.int64(), False))
"""Of the points of the episode that were compared, how many have this explanation; how many were compared."""
_BASIS = " basis"
"""No attribute has this name."""
EPISODE = ("first_ts", "first_offset")
"""The columns of a point that is asked about that tell which of its sub-log's episodes it is in."""
_KIND, _POINTS, _CLAIMS, _BASES = b"kind", b"points", b"claims", b"bases"
"""Batches without kind are pieces and edges, as `shared.episodes` reports them."""


def explained_schema(claims: pa.Schema) -> pa.Schema:
    """The table's columns. `claims`: those of `shared.causes`."""
    return pa.schema([*claims, *SHARED_BY])


@dataclass
class Explaining:
    """Explains the violations of one slice, whose `events` made `split`."""

    policy: PropositionalPolicy
    split: SplitTrace
    events: pa.Table
    makers: dict[int, tuple[ProofMaker, Ints]] = field(default_factory=dict)

    def claims(self, place: int) -> pa.Table:
        """`CLAIM_COLUMNS` of the smallest proof of the violation at a point of the trace, all or in part."""
        maker, offsets, point = self._at(place)
        tree = proof_in_part(maker, self.policy.formula, point, {}, False, MOST_CLAIMS)
        return cause_rows(tree, maker.reader.log.stamps, offsets, _text)

    def basis(self, place: int) -> bytes | None:
        """A number of what its proof rests on, which is the same in all slices; None for a proof that may be large."""
        maker, offsets, point = self._at(place)
        stamps = maker.reader.log.stamps
        if self._most_claims(stamps, int(stamps[point])) > MOST_CLAIMS:
            return None
        tree = maker.proof(self.policy.formula, point, {}, False)
        assert tree is not None, "a violation has a proof"
        at = {HERE: "here", NOWHERE: "absent"}
        leaves = [
            f"{formula_text(formula)} {at.get(point) or f'{stamps[point]}:{offsets[point]}'}"
            for formula, point in basis_of(tree)
        ]
        return blake2b("\n".join(sorted(leaves)).encode(), digest_size=16).digest()

    def _most_claims(self, stamps: Ints, ts: int) -> int:
        """A bound of the claims about a point: the points in reach, which all slices know, for each subformula."""
        after, reach = certain_after(self.policy) or 0, reach_of(self.policy).time
        begin = 0 if reach is None else np.searchsorted(stamps, max(ts + after - reach, -(2**63)))
        end = np.searchsorted(stamps, min(ts + after, 2**63 - 1), side="right")
        return int(end - begin) * sum(1 for _ in walk(self.policy.formula))

    def place(self, ts: int, offset: int, values: Sequence[object]) -> int:
        """The point of the trace with this stamp and offset, in the sub-log of these values."""
        number = self._numbers[_comparable(values)]
        begin, end = self.split.trace.starts[number : number + 2].tolist()
        first = begin + int(np.searchsorted(self.split.trace.stamps[begin:end], ts))
        assert self.split.trace.stamps[first:end][:1].tolist() == [ts], "a slice has the points that it owns"
        return first + offset

    @cached_property
    def _numbers(self) -> dict[tuple[object, ...], int]:
        """The number of each sub-log, by its values."""
        names = self.policy.for_each
        return {key: number for number, key in enumerate(_keys(self.split.values, names))} if names else {(): 0}

    def _at(self, place: int) -> tuple[ProofMaker, Ints, int]:
        starts = self.split.trace.starts
        number = int(np.searchsorted(starts, place, side="right")) - 1
        if number not in self.makers:
            log = self.split.log(number, self.events)
            self.makers[number] = ProofMaker(log), offsets_in_stamp(log.stamps)
        return *self.makers[number], place - int(starts[number])


def first_points(pieces: pa.Table, violations: pa.Table, place: str) -> list[pa.RecordBatch]:
    """The first points of pieces, in one batch: a slice may have a piece for each of its sub-logs.

    `pieces`: with the point of the first violation in the column `place`. `violations`: all that the slice owns, with
    `certain`, in order of their points.
    """
    points = violations[place].to_numpy()
    begins = np.searchsorted(points, pieces[place].to_numpy())
    lengths = np.minimum(pieces["points"].to_numpy(), COMPARED)
    compared = np.repeat(begins - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    return _marked(violations.drop_columns([place]).take(pa.array(compared)), _POINTS)


def points_to_explain(
    partials: Iterable[pa.RecordBatch], schema: pa.Schema, keys: Sequence[str], days: Days, most: int
) -> pa.Table:
    """The first points of the `most` longest episodes of each day: violations with `EPISODE` and `certain`, in order.

    `schema`: of episodes; `keys`: as in `merge_episodes`.
    """
    names = [name for name in schema.names if name not in RUN_COLUMNS]
    batches = [(batch, (batch.schema.metadata or {}).get(_KIND)) for batch in partials]
    episodes, _, _ = joined_episodes((batch for batch, kind in batches if kind is None), schema, keys, days)
    chosen = episodes.take(pa.array(longest_of_each_day(episodes, days, most)))
    of_point = [pa.field(name, pa.int64(), False) for name in ("ts", OFFSET)]
    violations = with_certain(pa.schema([*of_point, *map(schema.field, names)]))
    reported = [batch.select(violations.names).cast(violations) for batch, kind in batches if kind == _POINTS]
    points = pa.Table.from_batches(reported, violations)
    points = points.filter(pa.array(_with_values_of(points, chosen, names)))
    points = points.sort_by([(name, "ascending") for name in ("ts", OFFSET, *names)])
    asked = sorted(_first_in_episodes(points, chosen, names))
    rows, *of_episode = np.array(asked, np.int64).reshape(-1, 3).T
    explained = points.take(pa.array(rows))
    for name, column in zip(EPISODE, of_episode, strict=True):
        explained = explained.append_column(name, pa.array(column))
    return explained.combine_chunks()


def _first_in_episodes(points: pa.Table, episodes: pa.Table, names: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The first `COMPARED` points of each episode, as rows of `points`, which are in order, each with `EPISODE`."""
    rows_of: dict[tuple[object, ...], list[int]] = {}
    for row, values in enumerate(_keys(points, names)):
        rows_of.setdefault(values, []).append(row)
    at = list(zip(points["ts"].to_pylist(), points[OFFSET].to_pylist(), strict=True))
    for episode in episodes.to_pylist():
        own = rows_of[_comparable(episode[name] for name in names)]
        first, last = ((episode[f"{end}_ts"], episode[f"{end}_offset"]) for end in ("first", "last"))
        begin = bisect_left(own, first, key=lambda row: at[row])
        end = bisect_right(own, last, key=lambda row: at[row])
        for row in own[begin : min(end, begin + COMPARED)]:
            yield row, *first


def _with_values_of(points: pa.Table, chosen: pa.Table, names: Sequence[str]) -> Flags:
    """Which points have the values of some chosen episode, or at least each value of one."""
    kept = np.ones(points.num_rows, np.bool_)
    for name in names:
        codes = codes_of(pa.chunked_array([*points[name].chunks, *chosen[name].chunks], points[name].type))
        kept &= np.isin(codes[: points.num_rows], codes[points.num_rows :])
    return kept


def explained_points(explaining: Explaining, rows: pa.Table) -> Iterator[pa.RecordBatch]:
    """Claims of episodes' first violations, and the bases of all points, of which `rows` tells `EPISODE`: with the
    columns of the violations and `certain`."""
    keys = _keys(rows, explaining.policy.for_each)
    at = zip(*(rows[name].to_pylist() for name in ("ts", OFFSET)), keys, strict=True)
    places = [explaining.place(*point) for point in at]
    bases = pa.array([explaining.basis(place) for place in places], pa.binary())
    yield from _marked(rows.append_column(_BASIS, bases), _BASES)
    is_first = np.logical_and.reduce(
        [rows[own].to_numpy() == rows[of].to_numpy() for own, of in zip(("ts", OFFSET), EPISODE, strict=True)]
    )
    first = np.flatnonzero(is_first)
    claims = [explaining.claims(places[row]) for row in first.tolist()]
    if claims:
        of_first = np.repeat(first, [table.num_rows for table in claims])
        violations = rows.drop_columns(list(EPISODE)).take(pa.array(of_first))
        yield from _marked(_beside(violations, pa.concat_tables(claims)), _CLAIMS)


def merge_explained(partials: Iterable[pa.RecordBatch], schema: pa.Schema, keys: Sequence[str]) -> pa.Table:
    """The claims of each episode that was explained, with `certain`, in order of their violations.

    `keys`: the columns of the sub-logs' values.
    """
    complete = with_certain(schema)
    claims: list[pa.Table] = []
    bases: dict[tuple[object, ...], list[tuple[int, int, bytes | None]]] = {}
    for batch in partials:
        kind = (batch.schema.metadata or {}).get(_KIND)
        if kind == _CLAIMS:
            claims.append(pa.Table.from_batches([batch.replace_schema_metadata(None)]))
        elif kind == _BASES:
            rows = zip(*(batch[name].to_pylist() for name in ("ts", OFFSET, _BASIS)), strict=True)
            for key, row in zip(_keys(batch, (*EPISODE, *keys)), rows, strict=True):
                bases.setdefault(key, []).append(row)
    shared_of = {key: _shared(rows) for key, rows in bases.items()}
    tables = [complete.empty_table()]
    for table in claims:
        shared = [shared_of[key] for key in _keys(table, ("ts", OFFSET, *keys))]
        for place, column in enumerate(SHARED_BY):
            table = table.append_column(column, pa.array([row[place] for row in shared], column.type))
        tables.append(table.select(complete.names).cast(complete))
    order = [(name, "ascending") for name in ("ts", OFFSET, *keys, "node")]
    return pa.concat_tables(tables).sort_by(order).combine_chunks()


def _shared(bases: list[tuple[int, int, bytes | None]]) -> tuple[int, int]:
    """Of an episode's points that were compared, how many have the first one's basis; and how many these are."""
    _, _, first = min(bases, key=lambda row: row[:2])
    alike = 1 if first is None else sum(basis == first for *_, basis in bases)
    return alike, len(bases)


def _keys(rows: pa.Table | pa.RecordBatch, names: Sequence[str]) -> list[tuple[object, ...]]:
    """The values of each row in these columns."""
    columns = [rows[name].to_pylist() for name in names]
    return [_comparable(values) for values in zip(*columns, strict=True)] if columns else [()] * rows.num_rows


def _comparable(values: Iterable[object]) -> tuple[object, ...]:
    """Values as a key: NaN is a value, too.

    >>> _comparable([float("nan"), 3]) == _comparable([float("nan"), 3])
    True
    """
    return tuple(value if value == value else "NaN" for value in values)


def _beside(left: pa.Table, right: pa.Table) -> pa.Table:
    return pa.table([*left.columns, *right.columns], names=[*left.column_names, *right.column_names])


def _marked(table: pa.Table, kind: bytes) -> list[pa.RecordBatch]:
    return table.combine_chunks().replace_schema_metadata({_KIND: kind}).to_batches()


def _text(formula: Formula, _: Valuation) -> str:
    """A claim has no values."""
    return formula_text(formula)
