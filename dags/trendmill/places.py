"""The places of the project and its data, as environment variables for the processes that tasks start.

A scheduler's working directory is not known, so every place is passed as an absolute path. Variables that are already
set, as in a container, are left as they are.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(os.environ.get("TRENDMILL_ROOT", Path(__file__).resolve().parents[2]))

_DEFAULTS = {
    "TRENDMILL_LAKE": "lake",
    "TRENDMILL_REPORTS": "reports",
    "TRENDMILL_WORKLOADS": "workloads",
    "TRENDMILL_CACHE": ".cache",
}


def environment() -> dict[str, str]:
    """The variables from which `jobs` reads its places, and the path from which it is imported."""
    places = {name: os.environ.get(name, str(ROOT / folder)) for name, folder in _DEFAULTS.items()}
    return {**places, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}


def workloads() -> Path:
    """The folder whose subfolders are workloads."""
    return Path(environment()["TRENDMILL_WORKLOADS"])


def spark_settings() -> str | None:
    """The properties file a Spark application starts with: TRENDMILL_SPARK_SETTINGS, else the one made at set-up."""
    file = os.environ.get("TRENDMILL_SPARK_SETTINGS", str(Path(environment()["TRENDMILL_CACHE"], "spark-local.conf")))
    return file if Path(file).is_file() else None


def is_chosen_by_input() -> bool:
    """Whether Spark's settings depend on the size of a task's input; they do not if a file or a cluster sets them."""
    return not on_cluster() and "TRENDMILL_SPARK_SETTINGS" not in os.environ


def on_cluster() -> bool:
    """Whether spark-submit decides master, memory and cores: TRENDMILL_PROFILE=cluster."""
    return os.environ.get("TRENDMILL_PROFILE", "local") == "cluster"
