"""Where things are: the lake, the reports, the workloads, the cache. Each is one environment variable with a default.

A relative value starts at the current folder: a checkout runs from its own root, a server names absolute folders. The
lake and the reports may be in a storage, named by its URI (`jobs/stored_path.py`).
"""

from __future__ import annotations

import os
from pathlib import Path

from jobs.stored_path import StoredPath, place


def _place(variable: str, default: str) -> Path:
    return place(os.environ.get(variable, default))


def at(lake: Path | str | None) -> Path:
    """A lake that somebody named, or the one of the environment."""
    if lake is None:
        return _place("TRENDMILL_LAKE", "lake")
    return lake if isinstance(lake, Path) else place(lake)


def lake() -> Path:
    """The folder of all Delta tables: `lake/<workload>/<table>` (TRENDMILL_LAKE, default ./lake)."""
    return at(None)


def scratch(of: Path) -> Path:
    """A folder for files that programs of one run hand to each other: below the lake, `of` there.

    Beside a lake in a storage, TRENDMILL_SCRATCH names it (default: in the cache). Executors must see it, too.
    """
    if not isinstance(of, StoredPath):
        return of
    return _place("TRENDMILL_SCRATCH", str(cache() / "scratch")).joinpath(*of.parts[1:])


def reports() -> Path:
    """The folder of published reports (TRENDMILL_REPORTS, default ./reports)."""
    return _place("TRENDMILL_REPORTS", "reports")


def reports_address() -> str:
    """The address at which readers reach the published reports (TRENDMILL_REPORTS_URL); empty: none is known."""
    return os.environ.get("TRENDMILL_REPORTS_URL", "").rstrip("/")


def workloads() -> Path:
    """The folder whose subfolders are workloads (TRENDMILL_WORKLOADS, default ./workloads)."""
    return _place("TRENDMILL_WORKLOADS", "workloads")


def cache() -> Path:
    """The folder of files that can be made again: jars, JVM class archive, compiled kernels, unpacked data.

    Set by TRENDMILL_CACHE, default ./.cache.
    """
    return _place("TRENDMILL_CACHE", ".cache")


def jars() -> list[Path]:
    """The jars that a Spark session needs, fetched at set-up (LAKE_JARS overrides the folder).

    For a lake in a storage, also those of its connector, which are in a folder of their own (`make s3`).
    """
    folder = Path(os.environ.get("LAKE_JARS") or _made_at_set_up("jars"))
    further = _made_at_set_up(f"jars-{lake().parts[0].rstrip(':')}") if isinstance(lake(), StoredPath) else None
    return sorted(folder.glob("*.jar")) + (sorted(further.glob("*.jar")) if further else [])


def class_archive() -> Path:
    """The JVM's class-data archive, made at set-up; sessions use it when it exists."""
    return _made_at_set_up("cds") / "spark.jsa"


def _made_at_set_up(name: str) -> Path:
    """A folder that set-up makes below the checkout's `.cache`, also if the cache of runs is elsewhere."""
    own = cache() / name
    return own if own.is_dir() else project() / ".cache" / name


def project() -> Path:
    """The root of this checkout; workers import `jobs` and `cep_core` from it."""
    return Path(__file__).resolve().parents[1]
