"""Comparisons of values of any size, against exact fractions."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from jobs.alerts.measures import Measured, compares, of_number, summarised, times
from jobs.reports.words.quantities import Magnitude
from jobs.workload.sections.alerting.condition import Summary

WHOLE = st.one_of(st.integers(-(10**6), 10**6), st.integers(0, 10**60))
FACTORS = st.one_of(st.integers(-20, 20), st.integers(1, 4000).map(lambda n: Fraction(n, 1000))).map(Fraction)
SIGNS = st.sampled_from([">", ">=", "<", "<=", "=", "!="])
HOLDS = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@given(WHOLE, st.one_of(WHOLE, st.integers(-4, 4).map(lambda n: 10**30 + n)), SIGNS)
def test_whole_numbers_compare_exactly(value: int, bound: int, sign: str) -> None:
    assert compares(Measured(Magnitude.of(value)), sign, Magnitude.of(bound)) == HOLDS[sign](value, bound)


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000), SIGNS)
def test_a_lower_bound_decides_only_what_all_larger_values_share(least: int, more: int, bound: int, sign: str) -> None:
    """Known verdicts hold for each value from the bound on; where they differ, nothing is known."""
    verdict = compares(Measured(Magnitude.of(least), at_least=True), sign, Magnitude.of(bound))
    possible = {HOLDS[sign](value, bound) for value in (*range(least, 1002), least + more)}
    assert verdict == (possible.pop() if len(possible) == 1 else None)


@given(WHOLE, FACTORS)
def test_products(value: int, factor: Fraction) -> None:
    """Exact where they are whole; else a float that is as near as floats are."""
    product, exact = times(Magnitude.of(value), factor), value * factor
    if exact.denominator == 1:
        assert product.exact == exact
    else:
        assert product.exact == float(exact)


@given(st.floats(-300, 300), st.integers(1, 1000))
def test_products_of_what_only_a_logarithm_tells(log10: float, factor: int) -> None:
    product = times(Magnitude.of(None, log10), Fraction(factor))
    assert product.exact is None
    assert abs(product.log10 - log10 - of_number(Fraction(factor)).log10) < 1e-9


@given(st.lists(st.integers(0, 50), min_size=1, max_size=9), st.sampled_from(["median", "max", "min"]), FACTORS)
def test_summaries(values: list[int], name: str, factor: Fraction) -> None:
    from datetime import date, timedelta
    from statistics import median

    before = {date(2013, 3, 1) + timedelta(n): Measured(Magnitude.of(value)) for n, value in enumerate(values)}
    wanted = Fraction({"median": median, "max": max, "min": min}[name](values)) * factor
    assert summarised(Summary(factor, name, 9), before).exact == (wanted if wanted.denominator == 1 else float(wanted))
