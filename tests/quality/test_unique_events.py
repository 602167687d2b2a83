"""The section `unique`: a day is refused if, and only if, events of a type are equal in what tells them apart."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jobs.quality import judged_rows, large_days
from jobs.quality.gate import judge
from jobs.quality.judged_rows import HeldRows
from jobs.workload.sections.unique_events import rules_of_unique
from tests.counts import few

pytestmark = [
    pytest.mark.filterwarnings("ignore:Passing a string to the row_condition:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The condition_parser parameter is deprecated:DeprecationWarning"),
]

DAY = date(2024, 1, 1)
NAMES = ("ts", "x", "y")
EVENTS = st.lists(
    st.tuples(
        st.sampled_from("ABC"),
        st.integers(0, 2),
        st.sampled_from([None, 2**60, 2**60 + 1]),
        st.sampled_from([None, "a"]),
    ),
    min_size=1,
    max_size=6,
)
UNIQUE = st.dictionaries(
    st.sampled_from("AB"), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True).map(tuple), min_size=1
)


@few(25)
@example(events=[("A", 0, 2**60, None), ("A", 0, 2**60 + 1, None), ("B", 0, None, None)], unique={"A": ("x",)})
@given(events=EVENTS, unique=UNIQUE)
def test_a_day_is_refused_if_it_repeats_an_event(
    events: list[tuple[str, int, int | None, str | None]], unique: dict[str, tuple[str, ...]]
) -> None:
    """Judged as a whole and in pieces. Missing values are equal to each other, large numbers that differ are not. Names
    of other rules are not taken."""
    columns = dict(zip(("event_type", *NAMES), zip(*events, strict=True), strict=True))
    types = {"event_type": pa.string(), "ts": pa.int64(), "x": pa.int64(), "y": pa.string()}
    rows = pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})
    rules = rules_of_unique(unique, ["unique_1", "origin_known"])
    assert {rule.name for rule in rules}.isdisjoint({"unique_1", "origin_known"})
    of_day = {"events": HeldRows(rows.append_column("day", pa.array([DAY] * len(events))))}
    told = Counter(
        (kind, *(dict(zip(NAMES, values, strict=True))[name] for name in unique[kind]))
        for kind, *values in events
        if kind in unique
    )
    for held in (6, 0):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(large_days, "HELD", held)
            patched.setattr(judged_rows, "ROWS_AT_ONCE", 2)
            checks = judge(rules, of_day, [DAY])[DAY]
        assert any(check.refuses for check in checks) == (max(told.values(), default=0) > 1)
