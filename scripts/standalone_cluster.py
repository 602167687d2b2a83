"""A Spark master and its workers on the loopback address, for as long as a command runs (docs/cluster.md).

`scripts/standalone_cluster.py [--workers 2] [--large] [--archive FILE [--apart]] -- COMMAND ...` starts them from the
installed package and sets what `docs/cluster.md` says: the connection `spark_default`, TRENDMILL_PROFILE=cluster, and
the cluster's settings file. It ends with the command's exit code. Workers have one core each. Masters and workers write
their logs beside the settings.

`--large`: for many rows, with generated code and both of the JVM's compilers; else for few.
`--archive`: executors get their packages and the project from an archive of `make worker-env`. `--apart`: each worker
sees other folders than the driver, by a mount namespace of its own, in which the checkout is an empty folder.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pyspark

from jobs.lake.spark_settings import CODE, PLANS, UNVERIFIED, executors, properties, settings

ROOT = Path(__file__).resolve().parents[1]

WAIT = 60.0
"""Seconds in which the master must answer and every worker must have told it of itself."""

QUICK = " ".join(("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *UNVERIFIED))
"""Options of JVMs that live for a minute: most of it they load classes."""

ON_LOOPBACK = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1500m",
    "spark.executor.memory": "1g",
    "spark.executor.cores": "1",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    **CODE["small"],
    **PLANS["small"],
    # what a dead executor held is not asked for three times, five seconds apart
    "spark.shuffle.io.maxRetries": "1",
    "spark.shuffle.io.retryWait": "1s",
    # a dead executor is noticed in seconds, not in two minutes
    "spark.network.timeout": "30s",
    "spark.network.timeoutInterval": "10s",
    "spark.executor.heartbeatInterval": "3s",
}
"""What a cluster on one machine needs beside the cluster profile. What two cores run in a test or a night is few rows,
so generated code and plans that adapt gain nothing."""

FOR_MANY_ROWS = {
    **CODE["large"],
    **PLANS["large"],
    "spark.driver.extraJavaOptions": " ".join(UNVERIFIED),
    "spark.executor.extraJavaOptions": " ".join(UNVERIFIED),
}


APART = """
mkdir -p "$2/spark" "$2/java"
mount --bind "$1" "$2/spark"
mount --bind "$JAVA_HOME" "$2/java"
mount -t tmpfs -o size=64k nothing "$3"
export JAVA_HOME=$2/java SPARK_HOME=$2/spark
cd "$2"
shift 3
exec "$SPARK_HOME/bin/spark-class" "$@"
"""
"""Starts a class of Spark where the checkout is an empty folder; Spark and Java are seen in another one."""


@dataclass
class StandaloneCluster:
    """A running master. `folder`: its settings file and logs; `workers`: their processes.

    `apart`: whether workers have a mount namespace of their own.
    """

    folder: Path
    url: str
    page: str
    workers: list[subprocess.Popen[bytes]]
    apart: bool = False

    @property
    def settings(self) -> Path:
        """The settings file, for spark-submit."""
        return self.folder / "spark-cluster.conf"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that let Airflow and its tasks use the cluster."""
        host, _, port = self.url.rpartition(":")
        connection = json.dumps({"conn_type": "spark", "host": host, "port": int(port)})
        return {
            "AIRFLOW_CONN_SPARK_DEFAULT": connection,
            "TRENDMILL_PROFILE": "cluster",
            "TRENDMILL_SPARK_SETTINGS": str(self.settings),
        }

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start one more worker."""
        name = f"worker-{len(self.workers) + 1}"
        own = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1500m"]
        own += ["--work-dir", str(self.folder / name), self.url]
        start = partial(_java_apart, self.folder / name) if self.apart else _java
        self.workers.append(start(self.folder / f"{name}.log", "org.apache.spark.deploy.worker.Worker", own))
        return self.workers[-1]

    def wait_for_workers(self, count: int) -> None:
        """Wait until the master knows so many living workers. Raises TimeoutError."""
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            # a master that is about to start answers, but with an empty page
            with suppress(OSError, ValueError), urlopen(f"{self.page}/json/", timeout=5) as answer:
                if json.load(answer)["aliveworkers"] >= count:
                    return
            time.sleep(0.2)
        raise TimeoutError(f"the master knows fewer than {count} workers after {WAIT:.0f} s: see {self.folder}")


@contextmanager
def standalone_cluster(
    folder: Path, workers: int = 2, archive: Path | None = None, *, apart: bool = False, large: bool = False
) -> Iterator[StandaloneCluster]:
    """A master and workers while the block runs. `folder`, which exists, gets settings and logs.

    `archive`: what `make worker-env` made, for executors. `apart`: they do not see the checkout. `large`: for many
    rows.
    """
    port, page_port = _free_ports(2)
    place = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page_port)]
    master = _java(folder / "master.log", "org.apache.spark.deploy.master.Master", place)
    cluster = StandaloneCluster(folder, f"spark://127.0.0.1:{port}", f"http://127.0.0.1:{page_port}", [], apart)
    chosen = {**settings("cluster"), **executors(archive), **ON_LOOPBACK, **(FOR_MANY_ROWS if large else {})}
    cluster.settings.write_text(properties(chosen))
    try:
        for _ in range(workers):
            cluster.add_worker()
        cluster.wait_for_workers(workers)
        yield cluster
    finally:
        for process in (*cluster.workers, master):
            process.terminate()
        for process in (*cluster.workers, master):
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()


def _java(log: Path, name: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """A class of Spark in a JVM of its own, by Spark's launcher, which becomes that JVM."""
    home = Path(pyspark.__file__).parent
    return _started(log, [str(home / "bin" / "spark-class"), name, *arguments], {**os.environ, "SPARK_HOME": str(home)})


def _java_apart(seen: Path, log: Path, name: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """The same where the checkout is empty, and with no variable of this process. `seen`: where Spark and Java are."""
    paths = [str(Path(pyspark.__file__).parent), str(seen), str(ROOT)]
    command = ["unshare", "--mount", "sh", "-ec", APART, "apart", *paths, name, *arguments]
    environment = {
        "PATH": f"{sys.base_prefix}/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(seen),
        "JAVA_HOME": os.path.realpath(os.environ["JAVA_HOME"]),
    }
    return _started(log, command, environment)


def _started(log: Path, command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    own = {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "300m",
        # its web service would start applications for anyone who asks
        "SPARK_DAEMON_JAVA_OPTS": f"{QUICK} -Dspark.master.rest.enabled=false",
    }
    with log.open("ab") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, env={**environment, **own}, stdin=subprocess.DEVNULL)


def _free_ports(count: int) -> list[int]:
    """Ports of the loopback address that nobody uses now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def main() -> int:
    """Run a command on a cluster; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--large", action="store_true", help="for many rows: generated code, both compilers")
    parser.add_argument("--archive", type=Path, help="what `make worker-env` made, for executors")
    parser.add_argument("--apart", action="store_true", help="executors do not see the checkout (as root)")
    parser.add_argument("--logs", type=Path, help="an empty folder that keeps settings and logs")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trendmill-cluster-") as own:
        folder = options.logs or own
        begun = time.monotonic()
        kind = {"apart": options.apart, "large": options.large}
        with standalone_cluster(Path(folder), options.workers, options.archive, **kind) as cluster:
            print(
                f"cluster    {cluster.url}, {options.workers} workers in {time.monotonic() - begun:.1f} s", flush=True
            )
            return subprocess.call(options.command, env={**os.environ, **cluster.environment})


if __name__ == "__main__":
    sys.exit(main())
