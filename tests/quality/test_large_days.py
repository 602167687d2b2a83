"""A day that is judged piece by piece has the checks of one that is judged as a whole."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from jobs.exits import WrongWorkload
from jobs.quality import judged_rows, large_days, repeated_rows
from jobs.quality.gate import Check, judge
from jobs.quality.judged_rows import HeldRows, RowsInFiles
from jobs.quality.large_days import JUDGED
from jobs.workload.sections.expectations import GateRule

pytestmark = [
    pytest.mark.filterwarnings("ignore:Passing a string to the row_condition:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The condition_parser parameter is deprecated:DeprecationWarning"),
]

DAY, OTHER = date(2024, 1, 1), date(2024, 1, 2)
WHERE = {"row_condition": 'kind == "A" or n > 2', "condition_parser": "pandas"}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "column_values_to_be_between": {"column": "n", "min_value": 1, "mostly": 0.5},
    "column_values_to_be_in_set": {"column": "name", "value_set": ["a", "b"], "mostly": 0.7},
    "column_values_to_not_be_in_set": {"column": "n", "value_set": [3]},
    "column_values_to_be_null": {"column": "name", "mostly": 0.3},
    "column_values_to_not_be_null": {"column": "late", "mostly": 0.8},
    "column_values_to_match_regex": {"column": "name", "regex": "^[ab]", "mostly": 0.5},
    "column_values_to_not_match_regex": {"column": "name", "regex": "^c"},
    "column_values_to_match_regex_list": {"column": "name", "regex_list": ["a", "b"]},
    "column_values_to_not_match_regex_list": {"column": "name", "regex_list": ["c", "d"]},
    "column_values_to_match_strftime_format": {"column": "name", "strftime_format": "%Y"},
    "column_values_to_be_dateutil_parseable": {"column": "name"},
    "column_values_to_be_json_parseable": {"column": "name"},
    "column_values_to_match_json_schema": {"column": "json", "json_schema": {"type": "number"}},
    "column_value_lengths_to_be_between": {"column": "name", "max_value": 1},
    "column_value_lengths_to_equal": {"column": "name", "value": 1, "mostly": 0.5},
    "column_pair_values_a_to_be_greater_than_b": {"column_A": "n", "column_B": "m", "mostly": 0.5},
    "column_pair_values_to_be_equal": {"column_A": "n", "column_B": "m", "ignore_row_if": "either_value_is_missing"},
    "column_pair_values_to_be_in_set": {"column_A": "n", "column_B": "m", "value_pairs_set": [(1, 1), (2, 1)]},
    "multicolumn_sum_to_equal": {"column_list": ["n", "m"], "sum_total": 4, "ignore_row_if": "any_value_is_missing"},
    "select_column_values_to_be_unique_within_record": {"column_list": ["n", "m"]},
    "column_values_to_be_unique": {"column": "x", "mostly": 0.4},
    "compound_columns_to_be_unique": {"column_list": ["n", "late"], "ignore_row_if": "never"},
    "column_max_to_be_between": {"column": "n", "max_value": 3},
    "column_min_to_be_between": {"column": "m", "min_value": 1},
    "column_distinct_values_to_be_in_set": {"column": "name", "value_set": ["a", "b", "c"]},
    "column_distinct_values_to_contain_set": {"column": "n", "value_set": [1, 2]},
    "column_distinct_values_to_equal_set": {"column": "name", "value_set": ["a", "b"]},
    "column_unique_value_count_to_be_between": {"column": "n", "max_value": 3},
    "column_to_exist": {"column": "n"},
    "table_column_count_to_be_between": {"min_value": 2},
    "table_column_count_to_equal": {"value": 3},
    "table_columns_to_match_ordered_list": {"column_list": ["kind", "n"]},
    "table_columns_to_match_set": {"column_set": ["kind", "n", "m", "name", "late", "json", "x"]},
    "table_row_count_to_be_between": {"min_value": 8, "max_value": 15},
    "table_row_count_to_equal": {"value": 12},
}
"""An expectation of each type that judges a day piece by piece, without `expect_`."""


def rule(name: str, kind: str, arguments: dict[str, Any]) -> GateRule:
    return GateRule(name, f"expect_{kind}", "events", arguments, "fatal", "because")


RULES = [rule(kind, kind, arguments) for kind, arguments in ARGUMENTS.items()]
CHOOSING = [
    rule(f"some {kind}", kind, ARGUMENTS[kind] | WHERE)
    for kind in (
        "column_values_to_be_between",
        "column_values_to_not_be_null",
        "column_values_to_be_unique",
        "compound_columns_to_be_unique",
        "column_max_to_be_between",
        "column_unique_value_count_to_be_between",
    )
]
"""Some of the same of the rows that a condition chooses."""

SCHEMA = pa.schema(
    [
        ("day", pa.date32()),
        ("kind", pa.string()),
        ("n", pa.int64()),
        ("m", pa.int64()),
        ("name", pa.string()),
        ("late", pa.bool_()),
        ("json", pa.string()),
        ("x", pa.float64()),
    ]
)
VALUES: dict[str, tuple[Any, ...]] = {
    "n": (0, 1, 2, 3, 4),
    "m": (0, 1, 2, 3, 4),
    "name": ("a", "b", "ab", "c", "7", "2024"),
    "late": (True, False),
    "json": ("7", "0.5", '"seven"'),
    "x": (0.0, -0.0, 0.5, -1.5, 2.5),
}


def log(gaps: float, rows: int) -> pa.Table:
    """Rows of a day of which this share of the values is missing, and three of another day."""
    random = Random(rows)
    of_day = [
        {name: random.choice(values) if random.random() >= gaps else None for name, values in VALUES.items()}
        for _ in range(rows)
    ]
    of_next_day = [{"day": OTHER, "kind": "A", "n": 9}] * 3
    return pa.Table.from_pylist(
        [*({"day": DAY, "kind": random.choice("AB")} | row for row in of_day), *of_next_day], SCHEMA
    )


def in_pieces(rules: list[GateRule], rows: Any, day: date = DAY) -> tuple[Check, ...]:
    """The checks of a day of which hardly anything is held."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(large_days, "HELD", 7)
        patched.setattr(judged_rows, "ROWS_AT_ONCE", 5)
        patched.setattr(repeated_rows, "ROWS_OF_FILE", 3)
        return judge(rules, {"events": rows}, [day])[day]


def test_every_expectation_that_judges_pieces_is_tried() -> None:
    assert {f"expect_{kind}" for kind in ARGUMENTS} == JUDGED


@pytest.mark.parametrize(("gaps", "rows"), [(0.6, 22), (1, 9)])
def test_pieces_have_the_checks_of_the_whole_day(gaps: float, rows: int) -> None:
    """For each expectation: passed or not, what was observed, how many rows failed. Gaps, both zeros, conditions."""
    table, rules = log(gaps, rows), [*RULES, *CHOOSING]
    expected = judge(rules, {"events": HeldRows(table)}, [DAY])[DAY]
    assert in_pieces(rules, HeldRows(table)) == expected
    assert len({check.passed for check in expected}) == 2


def test_rows_in_files_are_those_of_the_table(tmp_path: Path) -> None:
    """However they lie in files; a day without files has no rows."""
    table = log(0.2, 17).filter(pc.equal(pc.field("day"), DAY)).drop_columns("day")
    files = [tmp_path / "first.parquet", tmp_path / "second.parquet"]
    pq.write_table(table.slice(0, 4), files[0])
    pq.write_table(table.slice(4), files[1], row_group_size=3)
    schema = pa.schema([SCHEMA.field(name) for name in ("n", "name")])
    stored = RowsInFiles({DAY: files, OTHER: []}, schema).of_days([DAY])
    assert (stored.count(DAY), stored.count(OTHER)) == (17, 0)
    assert pa.concat_tables(stored.pieces(DAY)).equals(table.select(["n", "name"]))
    assert [piece.num_rows for piece in stored.pieces(OTHER)] == [0]


def test_what_needs_a_large_day_as_a_whole_is_refused() -> None:
    """By name, with the way out; a small day is judged. So are more different values than are held."""
    mean = rule("average", "column_mean_to_be_between", {"column": "n", "max_value": 9})
    rows = HeldRows(log(0, 12))
    assert judge([mean], {"events": rows}, [DAY])[DAY][0].passed
    with pytest.raises(WrongWorkload, match=r"gate rule 'average': .* needs the 12 rows of 2024-01-01 .* over: SELECT"):
        in_pieces([mean], rows)
    several = rule("several", "column_unique_value_count_to_be_between", {"column": "x", "min_value": 0})
    many = HeldRows(pa.table({"day": pa.array([DAY] * 20, pa.date32()), "x": pa.array(range(20))}))
    with pytest.raises(WrongWorkload, match="'several': a day has more than 7 different values of 'x'"):
        in_pieces([several], many)
