"""Stage `experiment`: the cells of grids that nobody has measured yet, each in a Python worker of its own.

Cells go in waves; each wave is committed when it is done, so a grid that was killed goes on after the last commit. A
cell is known by its grid's definition, its setting and its seed, whatever the day on which it was measured: a grid of
generated logs is measured once, and again when its definition changes.

Reads the grids and the rows of `experiments`; replaces the rows of the wave's cells in `experiments`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from cep_core.experiments.grids import LOAD, Cell, Grid
from cep_core.experiments.measuring import measure_cell
from jobs.lake.dataset import read_table
from jobs.lake.write import replace
from jobs.runs.run import Run, StageOutcome
from jobs.stages.measurements import recorded
from jobs.workload.experiments import experiment_of, stand_ins

if TYPE_CHECKING:
    from pyspark.sql import Column

WAVE = 4
"""Cells for each of Spark's slots between two commits."""

MEASURED = "strategy STRING, parameters STRING, seed BIGINT, metric STRING, value DOUBLE, unit STRING"


def experiment(run: Run, grids: Mapping[str, Grid]) -> StageOutcome:
    """Measure every cell of `grids` that is not known; grids whose files are absent are skipped by name."""
    folder, slots = stand_ins(), max(1, run.spark.sparkContext.defaultParallelism)
    present: dict[str, Grid] = {}
    for name, grid in grids.items():
        if lacking := grid.log.missing(folder):
            run.progress.note(f"skipped {name}: no {', '.join(lacking)} in {folder}")
        else:
            present[name] = grid
    waiting = {name: unknown(run, grid) for name, grid in present.items()}
    total, done, rows = sum(map(len, waiting.values())), 0, 0
    for name, cells in waiting.items():
        for begin in range(0, len(cells), slots * WAVE):
            wave = cells[begin : begin + slots * WAVE]
            run.progress.advance(done, total, name)
            rows += _measure(run, present[name], wave, folder)
            done += len(wave)
    known = sum(len(grid.cells) for grid in present.values()) - total
    skipped = f", {len(grids) - len(present)} grid(s) skipped for want of data" if len(grids) > len(present) else ""
    return StageOutcome(total, rows, f"{total} cell(s) of {len(present)} grid(s) measured, {known} known{skipped}")


def unknown(run: Run, grid: Grid) -> list[Cell]:
    """The cells of a grid that `experiments` does not hold."""
    stored = read_table(run.lake / run.workload.name / "experiments", ["experiment", "parameters", "seed"])
    name = experiment_of(grid)
    known = {
        (setting_of(row["parameters"]), row["seed"])
        for row in ([] if stored is None else stored.to_pylist())
        if row["experiment"] == name
    }
    return [cell for cell in grid.cells if (cell.key, cell.seed) not in known]


def setting_of(parameters: str) -> str:
    """A row's parameters without the load: its cell's key."""
    values = json.loads(parameters)
    del values[LOAD]
    return json.dumps(values, sort_keys=True)


def _measure(run: Run, grid: Grid, cells: Sequence[Cell], folder: Path) -> int:
    """Measure cells, one Spark task each, and commit them together; how many rows."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                yield from measure_cell(grid, cells[index], folder).to_batches()

    found = run.spark.range(0, len(cells), 1, len(cells)).mapInArrow(work, MEASURED).toArrow()
    replace(
        run.spark.createDataFrame(recorded(found, run.last, run.run_id, experiment_of(grid))),
        run.table("experiments"),
        _rows_of(run, grid, cells, {(row["parameters"], row["seed"]) for row in found.to_pylist()}),
    )
    return found.num_rows


def _rows_of(run: Run, grid: Grid, cells: Sequence[Cell], written: set[tuple[str, int]]) -> Column:
    """Exactly the rows of these cells on the run's day."""
    from pyspark.sql import functions as f

    by_seed = [
        (f.col("seed") == seed) & f.col("parameters").isin(sorted(text for text, own in written if own == seed))
        for seed in sorted({cell.seed for cell in cells})
    ]
    return (f.col("day") == f.lit(run.last)) & (f.col("experiment") == experiment_of(grid)) & reduce(or_, by_seed)
