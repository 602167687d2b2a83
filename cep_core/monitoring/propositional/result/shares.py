"""How often each part of a policy is true on a day: a row for each subformula as written, in the order of the text.

Points with an event that the policy reads count, on the day on which the policy's verdict about them is certain, as
violations do, and in the slice that owns them; so the numbers of slices add up. Cost: one pass over the points for each
subformula.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.language.propositional.text.printing import formula_text
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.walk import operands
from cep_core.language.totals import Days, part_of
from cep_core.monitoring.shared.listing import with_certain

TRUTHS = "_truths"
"""The suffix of the table."""
TRUTHS_SCHEMA = pa.schema(
    [
        pa.field("node", pa.int64(), False),
        pa.field("parent", pa.int64()),
        pa.field("formula", pa.string(), False),
        pa.field("points_true", pa.int64(), False),
        pa.field("points", pa.int64(), False),
    ]
)
"""`node`: 0 is the whole formula. `points_true` of the day's `points` make the subformula true."""


def parts_of_formula(formula: Formula) -> list[tuple[int | None, Formula]]:
    """The subformulas from the top down, from left to right, each with the number of the one that it is an operand of.

    >>> from cep_core.language.propositional.text.parsing import parse
    >>> [(above, formula_text(part)) for above, part in parts_of_formula(parse("a IMPLIES ONCE (b OR a)").formula)]
    [(None, 'a IMPLIES (ONCE (b OR a))'), (0, 'a'), (0, 'ONCE (b OR a)'), (2, 'b OR a'), (3, 'b'), (3, 'a')]
    """
    return list(_below(formula, None, iter(range(2**62))))


def _below(formula: Formula, above: int | None, numbers: Iterator[int]) -> Iterator[tuple[int | None, Formula]]:
    number = next(numbers)
    yield above, formula
    for operand in operands(formula):
        yield from _below(operand, number, numbers)


def truth_rows(formula: Formula, counts: Ints, points: Ints, days: Days) -> pa.Table:
    """One slice's rows, with `certain`. `counts` [subformulas, days], `points` [days]: how many points there are."""
    nodes = parts_of_formula(formula)
    number = np.repeat(np.arange(len(nodes)), len(points))
    above, texts = [above for above, _ in nodes], [formula_text(part) for _, part in nodes]
    columns = (
        number,
        [above[node] for node in number],
        [texts[node] for node in number],
        counts.ravel(),
        np.tile(points, len(nodes)),
        np.tile([0] if days is None else days[:-1], len(nodes)),
    )
    schema = with_certain(TRUTHS_SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def merge_truths(partials: Iterable[pa.RecordBatch], days: Days = None) -> pa.Table:
    """The sums of all slices for each day: `TRUTHS_SCHEMA`, and `certain`, the day's begin."""
    schema = with_certain(TRUTHS_SCHEMA)
    rows = pa.Table.from_batches([batch.replace_schema_metadata(None) for batch in partials], schema)
    if not rows.num_rows:
        return rows
    node, part = rows["node"].to_numpy(), part_of(rows[CERTAIN].to_numpy(), days)
    key = part * (int(node.max()) + 1) + node
    keys, first, place = np.unique(key, return_index=True, return_inverse=True)
    merged = rows.take(pa.array(first))
    for name in ("points_true", "points"):
        sums = np.zeros(len(keys), np.int64)
        np.add.at(sums, place, rows[name].to_numpy())
        merged = merged.set_column(merged.schema.get_field_index(name), TRUTHS_SCHEMA.field(name), pa.array(sums))
    begins = np.zeros(len(keys), np.int64) if days is None else np.array(days)[part[first]]
    return merged.set_column(merged.num_columns - 1, schema.field(CERTAIN), pa.array(begins)).cast(schema)
