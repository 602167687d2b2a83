"""The causes of a day's longest episodes: for each the smallest proof of its first violation, and where it is the same.

A propositional formula is a first-order one without variables, over the events for which its atoms hold. One proof
stands for the points of the episode whose proofs rest on the same (`shared.why.basis`); the first `COMPARED` points are
compared. A slice explains the pieces of episodes that may be among the longest (`shared.longest`); the merge joins the
pieces and keeps what it needs, so no plan changes the table.

Cost: at most `COMPARED` proofs for each piece that is explained, for the events in each violation's reach; those of one
piece share their claims. A proof with more than `MOST_CLAIMS` claims is told by its first one, and a violation that may
have as many is compared with no other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.events.logs.time_points import offsets_in_stamp
from cep_core.language.propositional.facts.reach import certain_after, reach_of
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.propositional.text.printing import formula_text
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.walk import walk
from cep_core.language.totals import Days
from cep_core.monitoring.propositional.arrays.points import SplitTrace
from cep_core.monitoring.shared.causes import MOST_CLAIMS, cause_rows
from cep_core.monitoring.shared.episodes import RUN_COLUMNS, joined_episodes
from cep_core.monitoring.shared.listing import with_certain
from cep_core.monitoring.shared.longest import longest_of_each_day
from cep_core.monitoring.shared.why.basis import HERE, NOWHERE, basis_of
from cep_core.monitoring.shared.why.large_proofs import told_in_part
from cep_core.monitoring.shared.why.proof import Valuation
from cep_core.monitoring.shared.why.proving import ProofMaker

COMPARED = 20
"""The points of an episode whose proofs are compared."""
SHARED_BY = (pa.field("same_for", pa.int64(), False), pa.field("compared", pa.int64(), False))
"""Of the points of the episode that were compared, how many have this explanation; how many were compared."""
_BASIS = " basis"
"""No attribute has this name."""
_KIND, _CLAIMS, _BASES = b"kind", b"claims", b"bases"
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
        tree = told_in_part(maker, self.policy.formula, point, {}, False, MOST_CLAIMS)
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
        begin = 0 if reach is None else np.searchsorted(stamps, max(ts - reach, -(2**63)))
        end = np.searchsorted(stamps, min(ts + after, 2**63 - 1), side="right")
        return int(end - begin) * sum(1 for _ in walk(self.policy.formula))

    def _at(self, place: int) -> tuple[ProofMaker, Ints, int]:
        starts = self.split.trace.starts
        number = int(np.searchsorted(starts, place, side="right")) - 1
        if number not in self.makers:
            log = self.split.log(number, self.events)
            self.makers[number] = ProofMaker(log), offsets_in_stamp(log.stamps)
        return *self.makers[number], place - int(starts[number])


def explained_pieces(
    explaining: Explaining, pieces: pa.Table, violations: pa.Table, place: str
) -> Iterator[pa.RecordBatch]:
    """Claims and bases of pieces, each with the columns of its violation and `certain`; those of all pieces together.

    A slice may have a piece for each of its sub-logs, so there is no batch for each. `pieces`: to be explained, with
    the point of the first violation in the column `place`. `violations`: all that the slice owns, in order of their
    points.
    """
    points = violations[place].to_numpy()
    violations = violations.drop_columns([place])
    begins = np.searchsorted(points, pieces[place].to_numpy())
    lengths = np.minimum(pieces["points"].to_numpy(), COMPARED)
    claims, bases = [], []
    for begin, length in zip(begins.tolist(), lengths.tolist(), strict=True):
        claims.append(explaining.claims(int(points[begin])))
        bases += [explaining.basis(int(points[n])) for n in range(begin, begin + length)]
    if not claims:
        return
    of_first = np.repeat(begins, [table.num_rows for table in claims])
    yield from _marked(_beside(violations.take(pa.array(of_first)), pa.concat_tables(claims)), _CLAIMS)
    compared = np.repeat(begins - (np.cumsum(lengths) - lengths), lengths) + np.arange(len(bases))
    told = pa.table({_BASIS: pa.array(bases, pa.binary())})
    yield from _marked(_beside(violations.take(pa.array(compared)), told), _BASES)


def merge_explained(
    partials: Iterable[pa.RecordBatch],
    schemas: tuple[pa.Schema, pa.Schema],
    keys: Sequence[str],
    days: Days,
    most: int,
) -> pa.Table:
    """The claims of the `most` longest episodes of each day, with `certain`, in order of their violations.

    `schemas`: of the table and of episodes; `keys`: as in `merge_episodes`.
    """
    complete = with_certain(schemas[0])
    names = [name for name in schemas[1].names if name not in RUN_COLUMNS]
    claims: dict[tuple[object, ...], pa.Table] = {}
    bases: dict[tuple[object, ...], list[tuple[int, int, bytes | None]]] = {}
    others = []
    for batch in partials:
        kind = (batch.schema.metadata or {}).get(_KIND)
        if kind is None:
            others.append(batch)
        elif kind == _CLAIMS:
            table = pa.Table.from_batches([batch.replace_schema_metadata(None)])
            first = np.flatnonzero(table["node"].to_numpy() == 0)
            keys_of_first = _keys(table.take(pa.array(first)), ("ts", "offset", *names))
            for key, begin, end in zip(keys_of_first, first, [*first[1:], table.num_rows], strict=True):
                claims[key] = table.slice(begin, end - begin)
        else:
            rows = zip(*(batch[name].to_pylist() for name in ("ts", "offset", _BASIS)), strict=True)
            for key, row in zip(_keys(batch, names), rows, strict=True):
                bases.setdefault(key, []).append(row)
    episodes, _, _ = joined_episodes(others, schemas[1], keys, days)
    chosen = episodes.take(pa.array(longest_of_each_day(episodes, days, most)))
    tables = [complete.empty_table()]
    for episode in chosen.to_pylist():
        values = _comparable(episode[name] for name in names)
        shared = _shared(bases[values], episode)
        own = claims[(episode["first_ts"], episode["first_offset"], *values)]
        for column, number in zip(SHARED_BY, shared, strict=True):
            own = own.append_column(column, pa.repeat(number, own.num_rows))
        tables.append(own.select(complete.names).cast(complete))
    order = [(name, "ascending") for name in ("ts", "offset", *names, "node")]
    return pa.concat_tables(tables).sort_by(order).combine_chunks()


def _shared(bases: list[tuple[int, int, bytes | None]], episode: Mapping[str, int]) -> tuple[int, int]:
    """Of an episode's points that were compared, how many have the first one's basis; and how many these are."""
    bases.sort(key=lambda row: row[:2])
    begin = bisect_left(bases, (episode["first_ts"], episode["first_offset"]), key=lambda row: row[:2])
    end = bisect_right(bases, (episode["last_ts"], episode["last_offset"]), key=lambda row: row[:2])
    compared = [basis for *_, basis in bases[begin : min(end, begin + COMPARED)]]
    alike = 1 if compared[0] is None else compared.count(compared[0])
    return alike, len(compared)


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
