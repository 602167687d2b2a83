"""The software of a run: the versions of Python and of the packages that compute its results."""

from __future__ import annotations

import platform
from importlib import metadata

PACKAGES = ("trendmill", "pyspark", "delta-spark", "deltalake", "pyarrow", "numba", "great_expectations")


def software() -> dict[str, str]:
    """Name -> version, for the packages that are installed.

    >>> sorted(software())[-2:]
    ['python', 'trendmill']
    """
    installed = {
        distribution.metadata["Name"]: distribution.version
        for distribution in map(_distribution, PACKAGES)
        if distribution
    }
    return {"python": platform.python_version(), **installed}


def _distribution(package: str) -> metadata.Distribution | None:
    return next(iter(metadata.distributions(name=package)), None)
