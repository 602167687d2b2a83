"""The demo night and the week on a standalone cluster of this machine: `python benchmarks/cluster.py night week apart`.

- `night`: the demo day through the nightly DAG, its Spark applications on a master and two workers.
- `week`: 5 to 11 March, seven nights of the DAG one after the other.
- `apart`: the demo night with executors that do not see this checkout, each in a mount namespace of its own (as root):
  they have the archive of `make worker-env`, and of the driver's folders only the lake and the sources.

Each is also run by `trendmill run` without a cluster, and must leave equal tables. Wall time, CPU-seconds and peak
memory are those of the command's process tree; executors belong to their workers, so they are not in them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from runs import DEMO, WEEK, WORKLOAD, Usage, places, run_days, run_watched, tables

from jobs import places as project_places
from scripts.standalone_cluster import StandaloneCluster, standalone_cluster

WAYS = {"night": [DEMO], "week": WEEK, "apart": [DEMO]}
ARCHIVES = "worker-env/trendmill-*.tar.gz"


def nights(cluster: StandaloneCluster, home: Path, lake: Path, days: Sequence[date]) -> Usage:
    """The nightly DAG for each day. Raises SystemExit if one fails."""
    usage = Usage()
    for day in days:
        command = [sys.executable, "scripts/run_dag.py", f"nightly_{WORKLOAD}", "--day", str(day)]
        more = {**places(lake), **cluster.environment, "AIRFLOW_HOME": str(home / "airflow_home")}
        code, used = run_watched(command, more)
        if code:
            raise SystemExit(f"the night of {day} on the cluster ended with exit code {code}")
        usage += used
    return usage


def compared(cluster: StandaloneCluster, home: Path, way: str) -> None:
    """A way on the cluster and without one; raises SystemExit if their tables differ."""
    days = WAYS[way]
    print(f"{way}, {len(days)} day(s)", flush=True)
    print(f"  on the cluster      {nights(cluster, home, home / way, days)}", flush=True)
    print(f"  without a cluster   {run_days(home / f'{way}-local', days[0], days[-1])}", flush=True)
    ours, theirs = tables(home / way), tables(home / f"{way}-local")
    different = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
    if different:
        raise SystemExit(f"tables differ: {', '.join(different)}")
    print(f"  {len(ours)} tables are equal, {sum(map(len, ours.values())):,} rows", flush=True)


def main() -> None:
    for way in sys.argv[1:] or list(WAYS):
        with tempfile.TemporaryDirectory(prefix="trendmill-cluster-") as folder:
            home, archive = Path(folder), None
            (home / "cluster").mkdir()
            if way == "apart":
                archive = next(project_places.cache().glob(ARCHIVES), None)
                if archive is None:
                    raise SystemExit("there is no archive for executors: make worker-env")
                shutil.copytree(project_places.workloads() / WORKLOAD / "data", home / "data")
                os.environ["NYC_FLIGHTS_DATA"] = str(home / "data")
            with standalone_cluster(home / "cluster", archive=archive, apart=archive is not None) as cluster:
                compared(cluster, home, way)


if __name__ == "__main__":
    main()
