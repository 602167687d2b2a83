"""How all tests run: one Spark session for all that need it, long ones first.

`make test` has two processes. Only one of them starts Spark: a JVM needs 40 CPU-seconds until it is fast, and so do the
imports of Python's workers. The other one begins with what is long and starts processes of its own, then takes the rest
file by file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from jobs import places
from tests.counts import DEEP, TIMES

# The first example of a property may compile kernels; no deadline is right for it and for the others.
settings.register_profile("patient", deadline=None)
settings.register_profile(DEEP, deadline=None, max_examples=100 * TIMES, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "patient"))


SESSION = "session of Spark"
"""The name of the group of tests that one process runs."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests by groups that stay in one process: those of the session, then long files, then the other files.

    The session begins with those that make the lake which the other process compares with.
    """
    groups = {item: _group_of(item) for item in items}
    long = {groups[item] for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: (groups[item] != SESSION, not _compares(item), groups[item] not in long))
    for item, group in groups.items():
        item.add_marker(pytest.mark.xdist_group(group))


def _group_of(item: pytest.Item) -> str:
    return SESSION if "spark" in getattr(item, "fixturenames", ()) else item.location[0]


def _compares(item: pytest.Item) -> bool:
    return _group_of(item) == SESSION and "undisturbed_lake" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local session with little memory; skipped where the Delta jars have not been fetched."""
    if not places.jars():
        pytest.skip("no Delta jars: run `make` once")
    from jobs.lake.session import start_session

    session = start_session(
        "tests",
        spark__driver__memory="1500m",  # beside the kernels and whatever else the machine runs
        spark__sql__shuffle__partitions="1",  # test data fits in one
    )
    yield session
    session.stop()
