"""Whole numbers at the ends of 64 bits, and beside doubles: one answer, whichever kernel judges a condition."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.aggregates.registry import NAMED
from cep_core.language.patterns.values.exact_order import equal_codes, in_one_order
from cep_core.matching.arrays.network import LONG
from tests.ends import LARGEST, LEAST, REAL, WHOLE, kept, place
from tests.matching.worlds.conditions import COMPARE

STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "strict_contiguity")
SMALL = st.integers(-2, 2) | st.none()


def log_of(values: list[int | None], types: str = "AB") -> pa.Table:
    return pa.table(
        {
            "event_type": list(types)[: len(values)],
            "ts": range(len(values)),
            "x": pa.array(values, pa.int64()),
        }
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("condition", "values", "holds"),
    [
        ("b.x - a.x < 3", (LEAST, LEAST), True),
        ("b.x - a.x > -3", (LARGEST, LARGEST), True),
        ("b.x - a.x = 0", (LEAST, LEAST), True),
        ("b.x - a.x != 1", (LARGEST, LARGEST), True),
        ("b.x - a.x BETWEEN -1 AND 1", (LARGEST - 1, LARGEST), True),
        ("a.x + b.x = -1", (LEAST, LARGEST), True),
        ("b.x - a.x < 3", (LARGEST, LEAST), False),
        ("b.x - a.x != 3", (LARGEST, LEAST), False),
        ("b.x - a.x > 3", (LEAST, LARGEST), False),
        ("b.x - a.x = 9223372036854775807", (-1, LARGEST - 1), True),
        ("b.x - a.x >= 9223372036854775807", (-1, LARGEST), False),
        ("(b.x + 1) - a.x <= 1", (LARGEST, LARGEST), False),
        ("b.x - a.x + 1 <= 1", (LARGEST, LARGEST), True),
        ("b.x - (a.x - 1) > 0", (LEAST, 1), False),
        ("a.x = -9223372036854775808 AND b.x > -9223372036854775808", (LEAST, LEAST + 1), True),
    ],
)
def test_a_sum_over_two_events_is_exact_and_unknown_beyond_64_bits(
    strategy: str, condition: str, values: tuple[int, int], holds: bool
) -> None:
    """Issue 12, 4: what is rewritten for an edge says what is written: each number on the way fits, or it fails."""
    log = log_of(list(values))
    query = f"PATTERN SEQ(A a, B b) WHERE {strategy} {{ {condition} }} WITHIN 9"
    assert len(cep.match(query, log)) == holds
    assert len(cep.detect(query, log)) == holds
    assert len(cep.match(query, log, collapsed=True)) == holds
    neighbours = condition.replace("b.x", "NEXT(b).x") if "a.x =" not in condition else condition
    counted = cep.aggregate(f"RETURN COUNT(*) PATTERN SEQ(A a, B b) WHERE {strategy} {{ {neighbours} }} WITHIN 9", log)
    assert len(counted) == holds


@settings(max_examples=60)
@given(
    st.lists(SMALL | st.sampled_from(WHOLE), min_size=2, max_size=6),
    st.sampled_from(sorted(COMPARE)),
    st.integers(-2, 2) | st.sampled_from(WHOLE),
    st.sampled_from(STRATEGIES),
    st.booleans(),
)
def test_one_answer_whichever_kernel_judges(
    values: list[int | None], sign: str, k: int, strategy: str, negated: bool
) -> None:
    """On an edge as ranks, judged on bindings, as a condition of an aggregation, and by definition: the same."""
    log = log_of(values, "A" * len(values))

    def fits(earlier: int | None, later: int | None) -> bool:
        difference = None if earlier is None or later is None else kept(later - earlier)
        return difference is not None and COMPARE[sign](difference, k) != negated

    def said(difference: str) -> str:
        return f"NOT ({difference} {sign} {k})" if negated else f"{difference} {sign} {k}"

    texts = (said("b.x - a.x"), said("1 * (b.x - a.x)"))  # the latter stands on no edge
    counts = [len(cep.match(f"PATTERN SEQ(A a, A b) WHERE {strategy} {{ {text} }} WITHIN 99", log)) for text in texts]
    assert counts[0] == counts[1]
    if strategy == "skip_till_any_match":
        assert counts[0] == sum(itertools.starmap(fits, itertools.combinations(values, 2)))
    query = f"RETURN COUNT(*) PATTERN SEQ(A a, A b) WHERE {strategy} {{ {texts[0]} }} WITHIN 99"
    assert sum(cep.aggregate(query, log)["count"].to_pylist()) == counts[0]


def test_long_windows_with_a_sentinel() -> None:
    """Where a value at the end of 64 bits lets a difference leave them, long windows are counted without trees."""
    values = [LEAST, *range(3 * LONG), LARGEST]
    log = log_of(values, "A" * len(values))
    # the difference of -2**63 and any later number is unknown; 2**63 - 1 is too far from all others
    pairs = 3 * LONG - 1
    assert len(cep.match("PATTERN SEQ(A a, A b) WHERE b.x - a.x < 2 WITHIN 1000", log)) == pairs
    table = cep.aggregate("RETURN COUNT(*) PATTERN A+ WHERE NEXT(A).x - A.x < 2 WITHIN 1000", log)
    assert table["count"].to_pylist() == [3 * LONG * (3 * LONG + 1) // 2 + 2]


@settings(max_examples=80)
@given(st.sampled_from(sorted(COMPARE)), st.sampled_from(WHOLE), st.sampled_from(REAL))
@example("=", 2**53 + 1, 2.0**53)
@example("<", LARGEST, 2.0**63)
def test_integers_compare_with_doubles_exactly(sign: str, whole: int, real: float) -> None:
    """In a column, between events, beside a constant, in a list: no integer becomes the nearest double."""
    log = pa.table({"event_type": ["A", "B"], "ts": [1, 2], "x": [whole, whole], "y": [real, real]})
    holds = COMPARE[sign](place(whole), place(real))
    for condition in (f"a.x {sign} a.y", f"a.x {sign} b.y"):
        assert len(cep.match(f"PATTERN SEQ(A a, B b) WHERE {condition} WITHIN 9", log)) == holds, condition
    if math.isfinite(real):
        spelled = format(real, "f") if abs(real) < 1e30 and real == int(real) else repr(real)
        assert len(cep.match(f"PATTERN A a WHERE a.x {sign} {spelled} WITHIN 9", log)) == holds
        if sign == "=":
            assert len(cep.match(f"PATTERN A a WHERE a.x IN ({spelled}, 0.5) WITHIN 9", log)) == holds
    assert len(cep.match(f"PATTERN A a WHERE {whole} {sign} a.y WITHIN 9", log)) == holds
    counted = cep.aggregate(f"RETURN COUNT(*) PATTERN SEQ(A a, B b) WHERE a.x {sign} b.y WITHIN 9", log)
    assert len(counted) == holds


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(WHOLE) | SMALL, max_size=6), st.lists(st.sampled_from((*REAL, 0.0, 1.0, None)), max_size=6)
)
def test_columns_in_one_order(whole: list[int | None], real: list[float | None]) -> None:
    """Columns of integers and doubles brought to one type compare as their numbers do; codes are equal as they are."""
    columns = pa.array(whole, pa.int64()), pa.array(real, pa.float64())
    left, right = (column.to_pylist() for column in in_one_order(*columns))
    (left_codes, right_codes), values = equal_codes(columns)
    for i, j in itertools.product(range(len(whole)), range(len(real))):
        if whole[i] is None or real[j] is None:
            assert left[i] is None or right[j] is None
            assert min(left_codes[i], right_codes[j]) == -1
            continue
        for compare in COMPARE.values():
            assert compare(place(left[i]), place(right[j])) == compare(place(whole[i]), place(real[j]))
        assert (left_codes[i] == right_codes[j]) == (place(whole[i]) == place(real[j]))
        assert place(values[int(right_codes[j])].as_py()) == place(real[j])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_equivalence_over_integers_and_doubles(strategy: str) -> None:
    """[x] of an integer attribute and of a float one: 2**53 + 1 is nobody's double."""
    for whole, real, holds in ((2**53 + 1, 2.0**53, 0), (2**53, 2.0**53, 1), (LARGEST, 2.0**63, 0), (0, -0.0, 1)):
        log = pa.table(
            {
                "event_type": ["A", "B"],
                "ts": [1, 2],
                "x": pa.array([whole, None], pa.int64()),
                "y": pa.array([None, real], pa.float64()),
            }
        )
        schema = {"A": {"x": "int"}, "B": {"y": "float"}}
        for condition in ("a.x = b.y", "(a.x = b.y OR 1 = 2)"):
            query = f"PATTERN SEQ(A a, B b) WHERE {strategy} {{ {condition} }} WITHIN 9"
            assert len(cep.match(query, log, schema=schema)) == holds
        counted = cep.aggregate(f"RETURN COUNT(*) PATTERN SEQ(A a, B b) WHERE {strategy} {{ a.x = b.y }} WITHIN 9", log)
        assert len(counted) == holds


def test_pairs_agree_on_integers_and_doubles() -> None:
    """AND: an equivalence that spans both sides, an integer on the one and a double on the other."""
    log = pa.table(
        {
            "event_type": ["A", "B", "B"],
            "ts": [1, 2, 3],
            "x": pa.array([2**53 + 1, None, None], pa.int64()),
            "y": [None, 2.0**53, 1.5],
        }
    )
    query = "PATTERN A a AND B b WHERE a.x = b.y WITHIN 9"
    assert len(cep.match(query, log)) == 0
    assert len(cep.match(query, log.set_column(2, "x", pa.array([2**53, None, None], pa.int64())))) == 1


@settings(max_examples=100)
@given(
    st.lists(st.lists(SMALL | st.sampled_from(WHOLE), max_size=5), min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from(["sum", "avg"]),
)
def test_sums_and_averages_of_lists(lists: list[list[int | None]], before: bool, function: str) -> None:
    """Exact whatever the sum passes on its way; a sum beyond 64 bits is NULL, its average is not (issue 12, 4)."""
    offsets = pa.array([0, *itertools.accumulate(map(len, lists))]).to_numpy()
    values = pa.array([value for values_of_list in lists for value in values_of_list], pa.int64())
    expected: list[float | None] = []
    for values_of_list in lists:
        for k in range(len(values_of_list)):
            known = [value for value in values_of_list[: k if before else k + 1] if value is not None]
            exact = Fraction(sum(known), max(1, len(known)))
            averaged = exact.numerator / exact.denominator
            expected.append((kept(sum(known)) if function == "sum" else averaged) if known else None)
    assert NAMED[function].running(values, offsets, before=before).to_pylist() == expected


def test_an_average_of_doubles_whose_sum_is_infinite() -> None:
    """Two of the largest doubles have an average; infinity has itself."""
    values = pa.array([1.5e308, 1.5e308, math.inf])
    averages = NAMED["avg"].running(values, pa.array([0, 2, 3]).to_numpy(), before=False)
    assert averages.to_pylist() == [1.5e308, 1.5e308, math.inf]


@pytest.mark.parametrize(
    ("returned", "values", "value"),
    [
        ("avg(b[].x)", [LARGEST, LARGEST], float(LARGEST)),
        ("sum(b[].x)", [LARGEST, LARGEST], None),
        ("avg(b[].x)", [2**53 + 1, 2**53 + 3], float(2**53 + 2)),
        ("b[3].x", [1, 2], None),
        ("b[2].x", [1, 2], 2),
        ("7 / 2 + 0 * b[1].x", [1, 2], 3.5),
        ("-7 % 3 + 0 * b[1].x", [1, 2], -1),
        ("b[1].x % 0", [1, 2], None),
    ],
)
def test_what_a_match_returns(returned: str, values: list[int], value: float | None) -> None:
    """Averages, an index past the end of a closure, real division, a remainder: docs/language.md, WHERE."""
    log = log_of(values, "BB")
    table = cep.match(f"RETURN {returned} AS v PATTERN B{{2}} b[] WITHIN 9", log)
    assert table["v"].to_pylist() == [value]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("b[3].x > 0", False),
        ("NOT b[3].x > 0", False),
        ("b[3].x IS NULL", True),
        ("(b[3].x > 0 OR b[1].x = 1)", True),
        ("b[i].x > b[i-1].x", True),
        ("b[i].x > sum(b[..i-1].x)", True),
        ("NOT b[i].x > sum(b[..i-1].x)", False),
    ],
)
def test_an_index_past_the_end_is_null(strategy: str, condition: str, holds: bool) -> None:
    """docs/semantics.md, 3: past the end there is NULL, before the first a condition holds."""
    query = f"PATTERN SEQ(B{{2}} b[], C c) WHERE {strategy} {{ {condition} }} WITHIN 9"
    assert len(cep.match(query, log_of([1, 2, 3], "BBC"))) == holds


@pytest.mark.parametrize("strategy", ["skip_till_any_match", "skip_till_next_match"])
def test_a_group_is_the_value_that_an_equivalence_shares(strategy: str) -> None:
    """docs/semantics.md, 4: with [k] the group of a trend without an a is the k of its b; else it is null."""
    log = pa.table({"event_type": ["B"], "ts": [1], "k": [1]})
    query = "RETURN COUNT(*) PATTERN SEQ(A? a, B b) WHERE {} {{ {} }} GROUP-BY a.k WITHIN 9"
    schema = {"A": {"k": "int"}, "B": {"k": "int"}}
    for condition, group in (("[k]", 1), ("a.k = b.k", None), ("b.k = 1", None)):
        [row] = cep.aggregate(query.format(strategy, condition), log, schema=schema).to_pylist()
        assert row["k"] == group


@pytest.mark.parametrize("strategy", ["skip_till_any_match", "skip_till_next_match"])
@pytest.mark.parametrize("pattern", ["SEQ(A a, B b)", "SEQ(A? a, B b)", "SEQ(A a, B b) AND B c", "ANY(A a, B b)"])
@pytest.mark.parametrize("values", [(None, 5), (0, 5), (None, None)])
def test_a_sum_of_nothing_is_null(strategy: str, pattern: str, values: tuple[int | None, int | None]) -> None:
    """As in SQL, and as inside a match: a SUM over NULLs only is NULL, and so are its size and its sign."""
    log = log_of([*values, 7], "ABB")
    columns = "SUM(a.x) AS s, SUM(b.x) AS t"
    for row in cep.aggregate(
        f"RETURN {columns} PATTERN {pattern} WHERE {strategy} WITHIN 9", log, exact=True
    ).to_pylist():
        assert (row["s"] is None) == (values[0] is None)
        assert (row["s_sign"] is None) == (row["s_exact"] is None) == (values[0] is None)
        if pattern == "SEQ(A a, B b)":  # the next b alone, or each of them
            known = values[1] is not None or strategy == "skip_till_any_match"
            assert (row["t"] is not None) == known
