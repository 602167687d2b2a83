"""How all tests run: one Spark session for all that need it, long files first."""

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files begin first, so that no process is left with one while the others have nothing to do."""
    long = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local session with little memory; skipped where the Delta jars have not been fetched."""
    if not places.jars():
        pytest.skip("no Delta jars: run `make` once")
    from jobs.lake.session import start_session

    session = start_session(
        "tests",
        spark__driver__memory="1500m",  # beside the kernels and whatever else the machine runs
        spark__sql__shuffle__partitions="2",  # test data fits in one
    )
    yield session
    session.stop()
