"""Where Spark runs, for commands: on this machine, or on the cluster that Airflow's tasks use.

`TRENDMILL_PROFILE=cluster` says that it is a cluster, the connection `spark_default` which one, and
`TRENDMILL_SPARK_SETTINGS` names its settings, as for Airflow's tasks (docs/cluster.md).
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Profile = Literal["local", "cluster"]
"""Who decides master, memory and cores: this machine's settings, or spark-submit and the cluster."""

CONNECTION = "AIRFLOW_CONN_SPARK_DEFAULT"

WORKERS_PYTHON = "spark.pyspark.python"
"""The setting that names the Python of executors; spark-submit hands it to the driver, a driver without it must ask."""


def profile() -> Profile:
    """The profile of this process' sessions."""
    return "cluster" if os.environ.get("TRENDMILL_PROFILE", "local") == "cluster" else "local"


def submit_arguments(environment: Mapping[str, str]) -> str:
    """What a JVM that no spark-submit started must be told. Raises ValueError if the connection cannot be read.

    >>> submit_arguments({CONNECTION: '{"conn_type": "spark", "host": "spark://h", "port": 7077}'})
    '--master spark://h:7077 pyspark-shell'
    >>> submit_arguments({CONNECTION: "spark://h:7077", "TRENDMILL_SPARK_SETTINGS": "/etc/spark.conf"})
    '--master spark://h:7077 --properties-file /etc/spark.conf pyspark-shell'
    """
    words = ["--master", master(environment.get(CONNECTION, ""))]
    if file := environment.get("TRENDMILL_SPARK_SETTINGS"):
        words += ["--properties-file", file]
    return shlex.join([*words, "pyspark-shell"])


def master(connection: str) -> str:
    """The master that a connection names, which Airflow reads as JSON or as a URI.

    >>> master('{"conn_type": "spark", "host": "yarn"}'), master("spark://h:7077")
    ('yarn', 'spark://h:7077')
    """
    if not connection:
        raise ValueError(f"TRENDMILL_PROFILE=cluster, but {CONNECTION} names no master (docs/cluster.md)")
    if not connection.lstrip().startswith("{"):
        return connection
    fields = json.loads(connection)
    return f"{fields['host']}:{fields['port']}" if fields.get("port") else str(fields["host"])


def python_of_workers(environment: Mapping[str, str]) -> str | None:
    """The Python of executors, if the cluster's settings name one."""
    file = environment.get("TRENDMILL_SPARK_SETTINGS")
    lines = Path(file).read_text().splitlines() if file else []
    named = [line.split(None, 1) for line in lines if line.startswith(f"{WORKERS_PYTHON} ")]
    return named[-1][1].strip() if named else None
