"""The cell of a grid beside labels: each policy, their disjunction, and the patterns beside them, over all sequences.

Every sequence is a log of its own that has ended; position is time. The same grid and files give the same bytes. Cost:
each policy once over all events, O(events x operators); a pattern once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.experiments.grids.grid import Cell
from cep_core.experiments.grids.label_grid import PLACE, TOGETHER, LabelGrid
from cep_core.experiments.label_scores import score
from cep_core.experiments.labelled_sequences import LabelledSequences
from cep_core.experiments.measurement import SCHEMA, measurement
from cep_core.language.settings import DEFAULTS
from cep_core.monitoring.propositional.arrays.trace import Bits, Trace
from cep_core.monitoring.propositional.evaluation import truths


def measure_labels(grid: LabelGrid, cell: Cell, stand_ins: Path) -> pa.Table:
    """The scores of all policies. `stand_ins`: the folder with the files of logs. Raises FileNotFoundError."""
    sequences = grid.log.read(stand_ins)
    trace = sequences.trace(grid.atoms)
    violated = {name: violations(grid, name, trace) for name in grid.policies}
    together = np.logical_or.reduce(list(violated.values()))
    rows = [
        measurement(name, {}, cell.seed, metric, value, unit)
        for name, points in {**violated, TOGETHER: together}.items()
        for metric, value, unit in _scores(points, sequences)
    ]
    rows += [
        measurement(TOGETHER, {}, cell.seed, metric, value, unit)
        for metric, value, unit in (
            ("sequences", len(sequences.abnormal), "sequences"),
            ("abnormal", int(sequences.abnormal.sum()), "sequences"),
            ("events", len(sequences.templates), "events"),
        )
    ]
    for name in grid.patterns:
        differing = np.setxor1d(matches(grid, name, sequences), np.flatnonzero(violated[name]))
        rows.append(measurement(name, {}, cell.seed, "pattern_differs", len(differing), "events"))
    return pa.Table.from_pylist(rows, SCHEMA)


def violations(grid: LabelGrid, policy: str, trace: Trace) -> Bits:
    """[events] where a policy is false."""
    return ~truths(grid.bound(grid.policies[policy]), trace)


def matches(grid: LabelGrid, policy: str, sequences: LabelledSequences) -> Ints:
    """The events, ascending, that the pattern beside a policy returns."""
    evaluator = grid.pattern(policy).evaluator(DEFAULTS)
    events = sequences.events({name: grid.atoms[name] for name in grid.atoms_of(policy)})
    return np.unique(evaluator.merge(evaluator.evaluate(events))[PLACE].to_numpy())


def _scores(points: Bits, sequences: LabelledSequences) -> Iterator[tuple[str, float, str]]:
    scored = score(points, sequences)
    yield "precision", scored.precision, "share"
    yield "recall", scored.recall, "share"
    yield "f1", scored.f1, "share"
    yield "pointed", scored.pointed, "sequences"
    if scored.first is not None:
        yield "first_violation", scored.first, "events before it (median)"
