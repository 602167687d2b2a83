"""Intervals in the log's unit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cep_core.language.errors import QueryError
from tests.language.first_order.bound_policies import SCHEMA, bound, shown


@pytest.mark.parametrize(
    ("interval", "unit", "resolved"),
    [
        ("[0,30m]", "s", "[0,1800]"),
        ("[0,30m)", "s", "[0,1799]"),
        ("(1,5]", "s", "[2,5]"),
        ("[1h,*)", "ms", "[3600000,*)"),
        ("[1d,2d]", "h", "[24,48]"),
        ("[3,7]", "weeks", "[3,7]"),
    ],
)
def test_units(interval: str, unit: str, resolved: str) -> None:
    schema = replace(SCHEMA, unit=unit)
    assert shown(bound(f"ONCE{interval} P(x)", schema).core) == f"ONCE{resolved} P(x)"


@pytest.mark.parametrize(
    ("interval", "unit", "message"),
    [
        ("[0,90s]", "m", "90 s is no whole number of m, the log's unit"),
        ("[0,1d]", "weeks", "an interval in d over a log counted in 'weeks'"),
        ("[2h,100]", "s", "an empty interval: no time difference lies in it"),
        ("[0,4611686018427387904]", "s", "the interval does not fit 64 bits"),
        ("[0,200000d]", "ns", "the interval does not fit 64 bits"),
    ],
)
def test_faults(interval: str, unit: str, message: str) -> None:
    with pytest.raises(QueryError) as refused:
        bound(f"T() AND ONCE{interval} P(x)", replace(SCHEMA, unit=unit))
    assert (refused.value.message, refused.value.column) == (message, 9)


def test_intervals_are_faults_before_names() -> None:
    with pytest.raises(QueryError) as refused:
        bound("ONCE[2h,100] Unknown(x)")
    assert refused.value.message.startswith("an empty interval")
