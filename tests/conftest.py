"""How all tests run: one Spark session for all that need it, long ones first.

`make test` has two processes. Only one of them starts Spark: a JVM needs 40 CPU-seconds until it is fast, and so do the
imports of Python's workers. The other one begins with what is long and starts processes of its own, then takes the rest
file by file.
"""

from __future__ import annotations

import gc
import importlib
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from jobs import places
from tests.counts import DEEP, TIMES

# The first example of a property may compile kernels; no deadline is right for it and for the others.
settings.register_profile("patient", deadline=None)
settings.register_profile(DEEP, deadline=None, max_examples=100 * TIMES, suppress_health_check=[HealthCheck.too_slow])
# `.ci/run` draws the same examples each time, so a second half of them would prove the same again and again.
settings.register_profile("ci", settings.get_profile("ci"), max_examples=50)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "patient"))


gc.disable()  # until all tests are collected: modules and tests are no garbage

SESSION = "session of Spark"
"""The name of the group of files that one process runs."""


class SessionScheduling(LoadScopeScheduling):
    """Hands tests to processes file by file, but all files that share Spark's session to one of them."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SessionScheduling:
    """With `--dist loadgroup` xdist would read marks; it does not see them with this version of pytest."""
    return SessionScheduling(config, log)


def pytest_collection(session: pytest.Session) -> None:
    """Of two processes that collect side by side, one first imports the tests from the last to the first.

    Otherwise both would compile each module at the same moment. So each compiles about half of them, and finds the
    other half compiled. What fails to be imported here is imported again by pytest, which reports it.
    """
    if getattr(session.config, "workerinput", {}).get("workerid") != "gw1":
        return
    root = Path(__file__).parents[1]
    for file in sorted(root.glob("tests/**/test_*.py"), reverse=True):
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(root).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with the session first, then long files, then the other files.

    The session begins with those that make the lake which the other process compares with.
    """
    long = {item.location[0] for item in items if item.get_closest_marker("long")}
    compared = {item.location[0] for item in items if "undisturbed_lake" in getattr(item, "fixturenames", ())}

    def late(item: pytest.Item) -> tuple[bool, bool, bool]:
        file = item.location[0]
        in_session = group_of(file) == SESSION
        return (not in_session, not (in_session and file in compared), file not in long)

    items.sort(key=late)


def pytest_collection_finish() -> None:
    """What is loaded stays: Python need not look through it again and again for cycles of objects to free.

    At the usual thresholds that takes 6 % of the tests' time.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 10, 10)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """What is frozen is never freed, and DuckDB's bindings report that as leaks when the process ends.

    One of several processes has told everything by now and ends at once: to take apart what it holds takes seconds, for
    which the first one waits. Its JVM ends when its input does.
    """
    if hasattr(config, "workerinput"):
        os._exit(0)
    gc.unfreeze()


@cache
def group_of(file: str) -> str:
    """The group of a file of tests: the session's if it needs Spark and starts no processes with Spark of its own."""
    text = (Path(__file__).parents[1] / file).read_text(encoding="utf-8")
    return SESSION if "pytest.mark.spark" in text and "pytest.mark.processes" not in text else file


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
