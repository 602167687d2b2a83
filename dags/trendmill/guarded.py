"""Builds the DAGs of all workload folders, each separately: a DAG that cannot be built does not stop the others.

Airflow records import errors by file, and no DAG of a file with an import error is scheduled. So the DAG files leave
out DAGs that cannot be built. The file `broken_workloads.py`, which has no DAG of its own, fails with all reasons.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from airflow.sdk import DAG

from trendmill.places import workloads
from trendmill.workload_folders import BrokenFolder, WorkloadFolder, read_workload_folders


@dataclass
class Built:
    """The DAGs that a DAG file builds from the workload folders. `dags`: by DAG id."""

    dags: dict[str, DAG] = field(default_factory=dict)
    broken: list[BrokenFolder] = field(default_factory=list)


def build_all(build: Callable[[WorkloadFolder], DAG | None]) -> Built:
    """Call `build` for every workload folder. If it returns None, the folder needs no such DAG."""
    built = Built()
    for folder in read_workload_folders(workloads()):
        if isinstance(folder, BrokenFolder):
            built.broken.append(folder)
            continue
        try:
            dag = build(folder)
        except Exception as error:  # noqa: BLE001 broken_workloads.py reports it; the other folders' DAGs must not be lost
            built.broken.append(BrokenFolder(folder.name, f"{type(error).__name__}: {error}"[:500]))
            continue
        if dag is not None:
            built.dags[dag.dag_id] = dag
    return built
