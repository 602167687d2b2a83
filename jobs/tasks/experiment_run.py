"""Grids of experiments as a run: loads the days of the workload's own log that they need, then measures the grids."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from jobs.exits import WrongWorkload
from jobs.runs.journal import journal
from jobs.runs.ledger import read_ledger
from jobs.stages.experiment import experiment
from jobs.stages.ingest import ingest
from jobs.stages.measuring.own_days import days_to_load
from jobs.stages.validate import validate
from jobs.workload.files.problems import nearest
from jobs.workload.sections.experiment_grids import load_grids

if TYPE_CHECKING:
    from cep_core.experiments.grids.declared import DeclaredGrid
    from jobs.runs.run import Run


def experiment_all(run: Run, names: Collection[str] = ()) -> None:
    """Measure the workload's grids, or those named. Raises WorkloadError, WrongWorkload for an unknown name.

    Days that a grid reads and that are not loaded yet are loaded first, as a run loads the days that its queries reach.
    """
    grids = chosen(load_grids(run.workload.name, run.workload.folder), names, run.workload.name)
    with journal(run) as kept:
        if days := days_to_load(run, read_ledger(run.lake, run.workload.name), grids.values()):
            part = replace(run, loads=days)
            kept.perform("ingest", ingest, part, days)
            kept.perform("validate", validate, part, days)
        kept.perform("experiment", partial(experiment, grids=grids), run)


def chosen(grids: Mapping[str, DeclaredGrid], names: Collection[str], workload: str) -> dict[str, DeclaredGrid]:
    """The named grids, or all if none is named."""
    for name in names:
        if name not in grids:
            raise WrongWorkload(f"workload '{workload}' has no grid '{name}'; {nearest(name, grids)}")
    return {name: grid for name, grid in grids.items() if name in names or not names}
