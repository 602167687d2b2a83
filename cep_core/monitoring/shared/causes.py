"""The table of causes: proofs of the first violations of each operating day, a row for each claim of a proof.

An engine makes the proofs (`cause_rows`): of a first-order policy when the day's first violations are known; of a
propositional one when its longest episodes are. A proof that would look at more than `MOST_CLAIMS` claims is told in
part (`large_proofs`), or by its first claim only. Cost: that of the proofs, which is that of the events in the
violations' reach, and one row for each claim.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.events.chunks import one_array
from cep_core.language.evaluator import CERTAIN
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.temporal.formulas import Formula, Predicate
from cep_core.language.totals import Days, part_of
from cep_core.monitoring.shared.listing import with_certain
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree, Valuation

WHY = "_why"
"""The suffix of the table."""
MOST_CLAIMS = 10_000
"""About 0.2 s of work for each violation, at most."""
UNTOLD = "untold"
"""The kind of a claim whose proof is too large to be told."""
POINT = ("ts", "offset")
CLAIM_COLUMNS = ("node", "parent", "leaf", "claim", "at_ts", "at_offset", "holds", "seq", "valuation")
"""The columns of a claim beside the violation that it explains."""
_KINDS = (pa.int64(), pa.int64(), pa.string(), pa.string(), pa.int64(), pa.int64(), pa.bool_(), pa.int64(), pa.string())
_NULLABLE = ("parent", "leaf", "seq")

ClaimText = Callable[[Formula, Valuation], str]
"""A claim's formula as text, with the values in the place of variables."""


def cause_schema(values: Sequence[pa.Field]) -> pa.Schema:
    """The columns of claims: the violation's point, its `values`, then `CLAIM_COLUMNS`."""
    point = [pa.field(name, pa.int64(), False) for name in POINT]
    claims = zip(CLAIM_COLUMNS, _KINDS, strict=True)
    return pa.schema([*point, *values, *(pa.field(name, kind, name in _NULLABLE) for name, kind in claims)])


def cause_rows(tree: ProofTree, stamps: Ints, offsets: Ints, text: ClaimText) -> pa.Table:
    """`CLAIM_COLUMNS` of a proof: its claims from the top down, from left to right, numbered from 0.

    `stamps`, `offsets`: of the log's points. `leaf`: an `event`, its `absence`, or a `test` of values; null for
    what follows from other claims. `valuation` is JSON; a variable that stands for any other value is null.

    >>> from cep_core.language.temporal.formulas import Not, Predicate
    >>> p = Predicate("P", (), ())
    >>> tree = ProofTree(Not(p), 0, {}, True, (ProofTree(p, 0, {}, False),))
    >>> table = cause_rows(tree, np.array([7]), np.array([0]), lambda formula, _: type(formula).__name__)
    >>> [tuple(row.values()) for row in table.to_pylist()]  # doctest: +NORMALIZE_WHITESPACE
    [(0, None, None, 'Not', 7, 0, True, None, '{}'), (1, 0, 'absence', 'Predicate', 7, 0, False, None, '{}')]
    """
    nodes: list[ProofTree] = []
    parents: list[int | None] = []
    waiting: list[tuple[ProofTree, int | None]] = [(tree, None)]
    while waiting:
        node, parent = waiting.pop()
        waiting += [(child, len(nodes)) for child in reversed(node.children)]
        nodes.append(node)
        parents.append(parent)
    kept: dict[tuple[int, tuple[Any, ...]], tuple[str, str]] = {}
    texts = [_texts(node, text, kept) for node in nodes]
    points = np.array([node.point for node in nodes], np.int64)
    # the empty point that closes a log has no stamp: it is told as the last one
    points = np.minimum(points, len(stamps) - 1)
    columns = (
        np.arange(len(nodes)),
        parents,
        [_leaf(node) for node in nodes],
        [claim for claim, _ in texts],
        stamps[points],
        offsets[points],
        [node.holds for node in nodes],
        [node.seq for node in nodes],
        [valuation for _, valuation in texts],
    )
    arrays = [pa.array(column, kind) for column, kind in zip(columns, _KINDS, strict=True)]
    return pa.table(arrays, names=list(CLAIM_COLUMNS))


def _leaf(node: ProofTree) -> str | None:
    if node.untold:
        return UNTOLD
    if isinstance(node.formula, Predicate) and not is_built_in(node.formula):
        return "event" if node.holds else "absence"
    return "test" if node.is_leaf else None


def _texts(
    node: ProofTree, text: ClaimText, kept: dict[tuple[int, tuple[Any, ...]], tuple[str, str]]
) -> tuple[str, str]:
    """A claim and its valuation in words; the same ones at many points are written once."""
    key = (id(node.formula), tuple(node.valuation.values()))
    if key not in kept:
        values = {name: None if isinstance(value, AnyOther) else value for name, value in node.valuation.items()}
        kept[key] = text(node.formula, node.valuation), json.dumps(values, ensure_ascii=False)
    return kept[key]


def merge_causes(partials: Iterable[pa.RecordBatch], schema: pa.Schema, days: Days, most: int) -> pa.Table:
    """`schema` plus `certain`: the claims about the first `most` violations of each day, by (ts, offset, values)."""
    rows = pa.Table.from_batches([batch.replace_schema_metadata(None) for batch in partials], with_certain(schema))
    names = [name for name in schema.names if name not in CLAIM_COLUMNS]
    keys = [(name, "ascending") for name in (*names, "node")]
    rows = rows.take(pc.sort_indices(rows, sort_keys=keys))
    violation = np.cumsum(rows["node"].to_numpy() == 0) - 1
    first = np.flatnonzero(rows["node"].to_numpy() == 0)
    part = part_of(one_array(rows[CERTAIN]).to_numpy()[first], days)
    begins = np.searchsorted(part, part)  # days are in order, since all verdicts wait equally long
    kept = np.arange(len(first)) - begins < most
    return rows.filter(pa.array(kept[violation])) if len(first) else rows
