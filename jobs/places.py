"""Where things are: the lake, the reports, the workloads, the cache. Each is one environment variable with a default.

A relative value starts at the current folder: a checkout runs from its own root, a server names absolute folders.
"""

from __future__ import annotations

import os
from pathlib import Path


def _place(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable, default)).absolute()


def lake() -> Path:
    """The folder of all Delta tables: `lake/<workload>/<table>` (TRENDMILL_LAKE, default ./lake)."""
    return _place("TRENDMILL_LAKE", "lake")


def reports() -> Path:
    """The folder of published reports (TRENDMILL_REPORTS, default ./reports)."""
    return _place("TRENDMILL_REPORTS", "reports")


def workloads() -> Path:
    """The folder whose subfolders are workloads (TRENDMILL_WORKLOADS, default ./workloads)."""
    return _place("TRENDMILL_WORKLOADS", "workloads")


def cache() -> Path:
    """The folder of files that can be made again: jars, JVM class archive, compiled kernels, unpacked data.

    Set by TRENDMILL_CACHE, default ./.cache.
    """
    return _place("TRENDMILL_CACHE", ".cache")


def jars() -> list[Path]:
    """The jars that a Spark session needs, fetched at set-up (LAKE_JARS overrides the folder)."""
    folder = Path(os.environ.get("LAKE_JARS", cache() / "jars"))
    return sorted(folder.glob("*.jar"))


def class_archive() -> Path:
    """The JVM's class-data archive, made at set-up; sessions use it when it exists."""
    return cache() / "cds" / "spark.jsa"


def project() -> Path:
    """The root of this checkout; workers import `jobs` and `cep_core` from it."""
    return Path(__file__).resolve().parents[1]
