"""The tables of a propositional policy, as its evaluator merges them from batches and from slices of a log."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pyarrow as pa

from cep_core.language.evaluator import CERTAIN, TOTALS, Ownership, of_table
from cep_core.language.totals import rows_to_explain
from cep_core.monitoring.propositional.evaluator import PropositionalEvaluator
from cep_core.monitoring.propositional.result.shares import TRUTHS
from cep_core.monitoring.shared.causes import WHY
from cep_core.monitoring.shared.judged import JUDGED
from cep_core.slicing import Plan, ownership, split
from tests.monitoring.propositional.worlds import DAYS, Row, World, rows_of
from tests.slicing.laws.only_read import only_read


def results(evaluator: PropositionalEvaluator, batches: Iterable[pa.RecordBatch]) -> list[tuple[list[Row], list[int]]]:
    """The rows of violations and episodes, and their numbers by day."""
    merged = []
    everything = list(batches)
    for table in evaluator.tables[:2]:
        rows = table.merge(of_table(everything, table.suffix), DAYS)
        assert rows.schema.names == [*table.schema.names, CERTAIN]
        totals = json.loads(rows.schema.metadata[TOTALS])
        merged.append((rows_of(rows), [int(totals[str(day)]["matches_total"]) for day in DAYS[:-1]]))
    return merged


def expected(world: World, most: int | None) -> list[tuple[list[Row], list[int]]]:
    return [
        ([row for of_day in days for row in of_day[:most]], [len(of_day) for of_day in days])
        for days in (world.violations(), world.episodes())
    ]


Slice = tuple[pa.Table, Ownership, pa.Table]
"""The events of a slice, what it owns, and the points that it knows."""


def causes(
    evaluator: PropositionalEvaluator, batches: Iterable[pa.RecordBatch], days: tuple[int, ...], slices: Iterable[Slice]
) -> list[Row]:
    """The claims of the proofs of violations: each slice is asked about the points that it owns."""
    [table] = [table for table in evaluator.tables if table.suffix == WHY]
    assert table.in_slices
    assert table.explain is not None
    batches = list(batches)
    asked = rows_to_explain(table, evaluator.merge(of_table(batches), days), batches, days)
    claims: list[pa.RecordBatch] = []
    for events, owned, points in slices:
        assert owned.days is not None
        certain = asked[CERTAIN].to_numpy()
        own = (certain >= owned.days[0]) & (certain < owned.days[-1])
        if owned.owns is not None:
            own &= owned.owns(asked)
        if own.any():
            claims += table.explain(asked.filter(pa.array(own)).drop_columns([CERTAIN]), events, points, owned)
    rows = table.merge(of_table(claims, WHY), days)
    assert rows.schema.names == [*table.schema.names, CERTAIN]
    of_episode = asked.drop_columns([*asked.column_names[:2], CERTAIN]).to_pylist()
    assert sum(row["node"] == 0 for row in rows.to_pylist()) == len({tuple(row.values()) for row in of_episode})
    return rows_of(rows)


def truth_rows(evaluator: PropositionalEvaluator, batches: Iterable[pa.RecordBatch]) -> list[Row]:
    """How often each part of the formula is true, by day. A slice that is not evaluated has no row."""
    [table] = [table for table in evaluator.tables if table.suffix == TRUTHS]
    rows = table.merge(of_table(batches, table.suffix), DAYS)
    assert rows.schema.names == [*table.schema.names, CERTAIN]
    return [tuple(row.values()) for row in rows.to_pylist() if row["points"]]


def judged_values(evaluator: PropositionalEvaluator, batches: Iterable[pa.RecordBatch]) -> list[Row]:
    """The judged values of each day."""
    [table] = [table for table in evaluator.tables if table.suffix == JUDGED]
    return rows_of(table.merge(of_table(batches, JUDGED), DAYS))


def slices_of(world: World, evaluator: PropositionalEvaluator, plan: Plan) -> Iterable[Slice]:
    rows, numbers = split(plan, world.events)
    for number in range(plan.slices):
        part = only_read(evaluator, world.events.take(pa.array(rows[numbers == number])))
        owned = ownership(plan, number, DAYS)
        assert owned.days is not None
        if part.num_rows or evaluator.speaks_of_silence:
            ranges = plan.ranges[number // plan.cells] if plan.ranges else None
            begin, end = (ranges.reads_from, ranges.end) if ranges else (0, DAYS[-1])
            yield part, owned, near(world.points, begin, end)


def parts_of(world: World, evaluator: PropositionalEvaluator, plan: Plan) -> Iterable[pa.RecordBatch]:
    for of_slice in slices_of(world, evaluator, plan):
        yield from evaluator.evaluate(*of_slice)


def whole_log(world: World) -> Slice:
    return world.events, Ownership(days=DAYS), world.points


def near(points: pa.Table, begin: int, end: int) -> pa.Table:
    """The points of the stamps in [begin, end), and of those beside them."""
    inside = [n for n, ts in enumerate(points["ts"].to_pylist()) if begin <= ts < end]
    first = sum(ts < begin for ts in points["ts"].to_pylist()) - 1
    kept = sorted({*inside, first, first + len(inside) + 1} & set(range(points.num_rows)))
    return points.take(pa.array(kept, pa.int64()))
