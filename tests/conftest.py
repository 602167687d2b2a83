"""How all tests run: one Spark session for all that need it, long files first, few examples with recorded lines."""

from __future__ import annotations

import functools
import itertools
import os
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import settings

from jobs import places

# The first example of a property may compile kernels; no deadline is right for it and for the others.
settings.register_profile("patient", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "patient"))

EXAMPLES_COVERED = 10
"""Examples of a property whose lines are recorded. Recording halves the interpreter's speed, for all modules alike,
and what the first examples do not reach the hundredth seldom does."""


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Record the lines of a property's first examples only; all examples are tested."""
    property_test, tracer = getattr(pyfuncitem.obj, "hypothesis", None), sys.gettrace()
    if property_test is None or tracer is None:
        return (yield)
    test, examples = property_test.inner_test, itertools.count()

    @functools.wraps(test)
    def test_example(*arguments: object, **named: object) -> object:
        if next(examples) == EXAMPLES_COVERED:
            sys.settrace(None)
        return test(*arguments, **named)

    property_test.inner_test = test_example
    try:
        return (yield)
    finally:
        property_test.inner_test = test
        sys.settrace(tracer)


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
