"""Grids of experiments as a run: lease, session, the stage `experiment`, and their page."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

from jobs.exits import WrongWorkload
from jobs.runs.journal import journal
from jobs.stages.experiment import experiment
from jobs.workload.experiments import load_grids
from jobs.workload.problems import nearest

if TYPE_CHECKING:
    from cep_core.experiments.grids import Grid
    from jobs.runs.run import Run


def experiment_all(run: Run, names: Collection[str] = ()) -> None:
    """Measure the workload's grids, or those named. Raises WorkloadError, WrongWorkload for an unknown name."""
    grids = chosen(load_grids(run.workload.name, run.workload.folder), names, run.workload.name)
    with journal(run) as kept:
        kept.perform("experiment", partial(experiment, grids=grids), run)


def chosen(grids: Mapping[str, Grid], names: Collection[str], workload: str) -> dict[str, Grid]:
    """The grids named, all of them if none is."""
    for name in names:
        if name not in grids:
            raise WrongWorkload(f"workload '{workload}' has no grid '{name}'; {nearest(name, grids)}")
    return {name: grid for name, grid in grids.items() if name in names or not names}
