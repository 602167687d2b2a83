"""No DAG, but an import error that names every workload folder that cannot be scheduled, and why.

The DAGs of all other folders are in other files and continue. `trendmill check` gives the same reasons and more. After
the folder is corrected, this error disappears the next time that Airflow reads its DAG files.
"""

from __future__ import annotations

import runpy
from pathlib import Path

DAG_FILES = ("nightly.py", "backfill.py", "evaluation.py", "late.py", "maintenance.py")


class BrokenWorkloads(Exception):
    """Workload folders that have no DAGs (airflow shows this text)."""


# Run, not imported: a process that reads the DAG files twice must not see the folders as they were.
reasons = {
    str(folder) for file in DAG_FILES for folder in runpy.run_path(str(Path(__file__).with_name(file)))["built"].broken
}
if reasons:
    raise BrokenWorkloads("\n".join(["no DAG for these, `trendmill check` tells more:", *sorted(reasons)]))
