"""Stage `experiment`: measures the new cells of grids, each in its own Python worker.

Cells are measured in waves. Each wave is committed when it is done, so a killed grid continues after the last commit. A
cell is identified by its grid's definition, its setting and its seed, not by the day on which it was measured. A grid
of generated logs or of files is measured once, and again when its definition changes. A grid over the workload's own
days is also measured again when those change.

Reads the grids, the rows of `experiments` and the events of days that grids name; replaces the rows of the wave's
cells in `experiments`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.dataset as ds

from cep_core.experiments.grids.cells import measure_cell
from cep_core.experiments.grids.declared import DeclaredGrid
from cep_core.experiments.grids.grid import LOAD, Cell
from cep_core.experiments.grids.label_cell import measure_labels
from cep_core.experiments.grids.label_grid import LabelGrid
from cep_core.experiments.grids.logs import OwnDays
from jobs.lake.conditions import equal, one_of
from jobs.lake.dataset import read_table
from jobs.lake.write import replace
from jobs.runs.ledger import read_ledger
from jobs.runs.recorded_days import Ledger
from jobs.runs.run import Run, StageOutcome
from jobs.stages.measuring.experiment_rows import recorded
from jobs.stages.measuring.own_days import own_log
from jobs.workload.sections.experiment_grids import experiment_of, stand_ins

WAVE = 4
"""The number of cells that each of Spark's slots measures between two commits."""

MEASURED = "strategy STRING, parameters STRING, seed BIGINT, metric STRING, value DOUBLE, unit STRING"


def experiment(run: Run, grids: Mapping[str, DeclaredGrid]) -> StageOutcome:
    """Measure every cell of `grids` that is not measured yet. Grids without their data are skipped and named."""
    ledger = read_ledger(run.lake, run.workload.name)
    present: dict[str, DeclaredGrid] = {}
    for name, grid in grids.items():
        if lacking := _lacking(grid, ledger):
            run.progress.note(f"skipped {name}: no {lacking}")
        else:
            present[name] = grid
    waiting = {name: unknown(run, grid, experiment_of(grid, ledger.version)) for name, grid in present.items()}
    total, done, rows = sum(map(len, waiting.values())), 0, 0
    for name, cells in waiting.items():
        if not cells:
            continue
        measure, slots = _measuring(run, present[name]), max(1, run.spark.sparkContext.defaultParallelism)
        for begin in range(0, len(cells), slots * WAVE):
            wave = cells[begin : begin + slots * WAVE]
            run.progress.advance(done, total, name)
            rows += _measure(run, experiment_of(present[name], ledger.version), wave, measure)
            done += len(wave)
    measured_before = sum(len(grid.cells) for grid in present.values()) - total
    skipped = f", {len(grids) - len(present)} grid(s) skipped for want of data" if len(grids) > len(present) else ""
    return StageOutcome(
        total, rows, f"{total} cell(s) of {len(present)} grid(s) measured, {measured_before} known{skipped}"
    )


def _lacking(grid: DeclaredGrid, ledger: Ledger) -> str:
    """The missing data of a grid; empty if nothing is missing."""
    if isinstance(grid.log, OwnDays):
        days = [day.isoformat() for day in grid.log.days if not ledger.holds(day)]
        return f"events of {', '.join(days)} in the lake" if days else ""
    files, folder = grid.log.missing(stand_ins()), stand_ins()
    return f"{', '.join(files)} in {folder}" if files else ""


def unknown(run: Run, grid: DeclaredGrid, name: str) -> list[Cell]:
    """The cells of a grid that `experiments` does not hold under `name`."""
    folder = run.lake / run.workload.name / "experiments"
    stored = read_table(folder, ["parameters", "seed"], where=ds.field("experiment") == name)
    stored_rows = [] if stored is None else stored.group_by(["parameters", "seed"]).aggregate([]).to_pylist()
    measured = {(setting_of(row["parameters"]), row["seed"]) for row in stored_rows}
    return [cell for cell in grid.cells if (cell.key, cell.seed) not in measured]


def setting_of(parameters: str) -> str:
    """A row's parameters without the load: its cell's key."""
    values = json.loads(parameters)
    values.pop(LOAD, None)  # a grid beside labels has no load
    return json.dumps(values, sort_keys=True)


Measuring = Callable[[Cell], pa.Table]


def _measuring(run: Run, grid: DeclaredGrid) -> Measuring:
    """The function by which a worker measures a cell of a grid."""
    if isinstance(grid, LabelGrid):
        return partial(measure_labels, grid, stand_ins=stand_ins())
    if isinstance(grid.log, OwnDays):
        return partial(own_log(run, grid).measure, grid)
    return partial(measure_cell, grid, stand_ins=stand_ins())


def _measure(run: Run, name: str, cells: Sequence[Cell], measure: Measuring) -> int:
    """Measure cells, one Spark task each, and commit them together under `name`. Returns the number of rows."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                yield from measure(cells[index]).to_batches()

    measured = run.spark.range(0, len(cells), 1, len(cells)).mapInArrow(work, MEASURED).toArrow()
    replace(
        recorded(measured, run.last, run.run_id, name),
        run.table("experiments"),
        _rows_of(run, name, cells, {(row["parameters"], row["seed"]) for row in measured.to_pylist()}),
    )
    return measured.num_rows


def _rows_of(run: Run, name: str, cells: Sequence[Cell], written: set[tuple[str, int]]) -> str:
    """Exactly the rows of these cells on the run's day."""
    by_seed = " OR ".join(
        f"({equal('seed', seed)} AND {one_of('parameters', sorted(text for text, of in written if of == seed))})"
        for seed in sorted({cell.seed for cell in cells})
    )
    return f"{equal('day', run.last)} AND {equal('experiment', name)} AND ({by_seed})"
