"""The demo night and the week on a standalone cluster of this machine: `python benchmarks/cluster.py [night] [week]`.

- `night`: the demo day through the nightly DAG, its Spark applications on a master and two workers.
- `week`: 5 to 11 March, seven nights of the DAG one after the other.

Each is also run by `trendmill run` without a cluster, and must leave equal tables. Wall time, CPU-seconds and peak
memory are those of the command's process tree; executors belong to their workers, so they are not in them.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from runs import DEMO, WEEK, WORKLOAD, Usage, places, run_days, run_watched, tables

from scripts.standalone_cluster import StandaloneCluster, standalone_cluster

WAYS = {"night": [DEMO], "week": WEEK}


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


def main() -> None:
    ways = sys.argv[1:] or list(WAYS)
    with tempfile.TemporaryDirectory(prefix="trendmill-cluster-") as folder:
        home = Path(folder)
        (home / "cluster").mkdir()
        with standalone_cluster(home / "cluster") as cluster:
            for way in ways:
                days = WAYS[way]
                print(f"{way}, {len(days)} day(s)", flush=True)
                print(f"  on the cluster      {nights(cluster, home, home / way, days)}", flush=True)
                print(f"  without a cluster   {run_days(home / f'{way}-local', days[0], days[-1])}", flush=True)
                ours, theirs = tables(home / way), tables(home / f"{way}-local")
                different = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
                if different:
                    raise SystemExit(f"tables differ: {', '.join(different)}")
                print(f"  {len(ours)} tables are equal, {sum(map(len, ours.values())):,} rows", flush=True)


if __name__ == "__main__":
    main()
