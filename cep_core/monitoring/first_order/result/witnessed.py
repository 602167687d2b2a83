"""Causes of a policy with an outermost EXISTS: the smallest proof of any of its witnesses.

`EXISTS y. P(x, y)` holds because of one witness. Of the proofs of its witnesses the one with fewest leaves is taken, of
these the earliest, then that of the first values: as `proving` does, which would look at other values too. A slice of
the policy before EXISTS projects proves the witnesses that it owns and no others: for these it may lack events, and
what is absent there proves nothing. It reports its smallest proof with the witness and with how many claims it looked
at. The merge keeps the smallest proof of each violation, so a tree does not depend on how the log was sliced. Nor does
it depend on that which proofs are too large: they are those for whose witnesses more than `MOST_CLAIMS` claims are
looked at in all slices together, each witness by itself.

Cost: the claims of the witnesses' proofs; a pass over the rows of the relation for each violation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.language.first_order.facts.opening import OpenPolicy
from cep_core.language.temporal.terms import Constant
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.first_order.arrays.scan import equals
from cep_core.monitoring.first_order.result.claims import claim_rows, place_of
from cep_core.monitoring.first_order.result.satisfactions import Satisfactions
from cep_core.monitoring.shared.causes import CLAIM_COLUMNS, MOST_CLAIMS, UNTOLD
from cep_core.monitoring.shared.listing import with_certain
from cep_core.monitoring.shared.scalars import Value, order_key, plain
from cep_core.monitoring.shared.why.least_claims import least_claims
from cep_core.monitoring.shared.why.proof import ProofTree
from cep_core.monitoring.shared.why.proving import ProofMaker

LOOKED_AT = "(looked at)"
"""The column that says how many claims a slice looked at for a violation."""


def witness_fields(opened: OpenPolicy) -> list[pa.Field]:
    """The columns that slices report beside those of causes: the claims looked at, and the values of the witness."""
    hidden = [pa.field(f"({name})", ARROW_TYPES[opened.policy.variables[name]]) for name in opened.hidden]
    return [pa.field(LOOKED_AT, pa.int64(), False), *hidden]


@dataclass(frozen=True)
class Witnesses:
    """The witnesses among some satisfactions of an open policy."""

    opened: OpenPolicy
    held: Satisfactions

    def claims_of(self, maker: ProofMaker, violation: Mapping[str, Any], most: int = MOST_CLAIMS) -> pa.Table | None:
        """`CLAIM_COLUMNS` and `witness_fields` of the smallest proof of a violation; if it is too large, one claim.

        None if there is no witness of the violation among these. `violation`: `ts`, `offset`, the variables that are
        not hidden.
        """
        names = [name for name in self.opened.policy.variables if name not in self.opened.hidden]
        point, visible = place_of(names, maker, violation)
        *above, (body, holds) = self.opened.path
        witnesses = self.of(point, visible, most + 1)
        if not witnesses:
            return None
        best: tuple[ProofTree, dict[str, Value]] | None = None
        looked_at = 0
        for witness in witnesses:
            if least_claims(maker.reader, body, point, holds) > most - looked_at:
                tree = None
            else:
                tree = maker.small_proof(body, point, {**visible, **witness}, holds, most - looked_at)
                looked_at += maker.claims
            if tree is None:
                best, looked_at = None, most + 1
                break
            if best is None or (tree.size, tree.points) < (best[0].size, best[0].points):
                best = tree, witness
        whole, chosen = best or (ProofTree(self.opened.policy.unfolded, point, visible, True, untold=True), {})
        for formula, sign in reversed(above if best is not None else ()):
            known = {name: {**visible, **chosen}[name] for name in free_variables(formula)}
            whole = ProofTree(formula, point, known, sign, (whole,))
        claims = claim_rows(self.opened.policy, maker, whole)
        columns = [pa.repeat(looked_at, claims.num_rows)]
        for name in self.opened.hidden:
            value = pa.scalar(chosen.get(name), ARROW_TYPES[self.opened.policy.variables[name]])
            columns.append(pa.repeat(value, claims.num_rows))
        for field, column in zip(witness_fields(self.opened), columns, strict=True):
            claims = claims.append_column(field.name, column)
        return claims

    def of(self, point: int, visible: Mapping[str, Value], most: int) -> list[dict[str, Value]]:
        """The hidden values of the witnesses at a point for some visible values, in order; not more than `most`."""
        here = self.held.relation.between(point, point + 1)
        fits = [equals(here.column(name), Constant(value), self.held.texts) for name, value in visible.items()]
        rows = here.of_rows(reduce(np.logical_and, fits, np.ones(here.rows, np.bool_)))
        if rows.rows > most:
            rows = rows.of_rows(slice(most))
        hidden = self.opened.hidden
        columns = [self.held.values(name, rows.column(name)).to_pylist() for name in hidden]
        witnesses = [dict(zip(hidden, map(plain, values), strict=True)) for values in zip(*columns, strict=True)]
        return sorted(witnesses, key=lambda witness: tuple(order_key(value) for value in witness.values()))


def smallest_of_slices(
    partials: Iterable[pa.RecordBatch], causes: pa.Schema, opened: OpenPolicy, most: int = MOST_CLAIMS
) -> list[pa.RecordBatch]:
    """One proof of each violation, as slices report the causes of policies without witnesses.

    The rows of a proof stand together, its first claim first.
    """
    reported = with_certain(causes)
    complete = pa.schema([*reported, *witness_fields(opened)])
    rows = pa.Table.from_batches([batch.replace_schema_metadata(None) for batch in partials], complete)
    first = np.flatnonzero(rows["node"].to_numpy() == 0)
    last = np.append(first[1:], rows.num_rows)[: len(first)]
    trees = rows.take(pa.array(first)).to_pylist()
    leaves = rows.select(["leaf", "at_ts", "at_offset"]).to_pylist()
    of_violation: dict[tuple[Any, ...], list[int]] = {}
    for number, tree in enumerate(trees):
        names = (name for name in causes.names if name not in CLAIM_COLUMNS)
        of_violation.setdefault(tuple(order_key(tree[name]) for name in names), []).append(number)

    def rank(number: int) -> tuple[Any, ...]:
        own = leaves[first[number] : last[number]]
        points = sorted((row["at_ts"], row["at_offset"]) for row in own if row["leaf"] is not None)
        return len(points), points, [order_key(trees[number][f"({name})"]) for name in opened.hidden]

    kept: list[Sequence[int]] = []
    too_large = set[int]()
    for numbers in of_violation.values():
        if sum(trees[number][LOOKED_AT] for number in numbers) > most:
            kept.append([int(first[numbers[0]])])
            too_large.update(kept[-1])
        else:
            chosen = min(numbers, key=rank)
            kept.append(range(int(first[chosen]), int(last[chosen])))
    places = [place for own in kept for place in own]
    own = rows.take(pa.array(places, pa.int64())).select(reported.names).cast(reported)
    untold = pc.if_else(pa.array([place in too_large for place in places], pa.bool_()), UNTOLD, own["leaf"])
    own = own.set_column(own.column_names.index("leaf"), reported.field("leaf"), untold)
    return own.combine_chunks().to_batches()
