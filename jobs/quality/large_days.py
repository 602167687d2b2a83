"""Judges a day with more rows than are held at once, piece by piece, with the same outcome.

How depends on what an expectation looks at. One that looks at each row alone judges every piece, and counts add up. One
that looks at the extremes, the different values or the names of columns judges what is left of each piece. Repeated
values are counted in files (`repeated_rows.py`), numbers of rows need no rows. Everything else (means, medians,
orders...) needs the day as a whole and is refused: Spark can compute it, in a rule over a SELECT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from jobs.exits import WrongWorkload
from jobs.quality.frames import frames
from jobs.quality.judged_rows import JudgedRows
from jobs.quality.repeated_rows import RepeatedRows
from jobs.workload.sections.expectations import GateRule

if TYPE_CHECKING:
    import pandas as pd

HELD = 2_000_000
"""The most rows of a day that are judged as a whole."""

EACH_ROW = frozenset(
    f"expect_{name}"
    for name in (
        "column_values_to_be_between",
        "column_values_to_be_in_set",
        "column_values_to_not_be_in_set",
        "column_values_to_be_null",
        "column_values_to_not_be_null",
        "column_values_to_match_regex",
        "column_values_to_not_match_regex",
        "column_values_to_match_regex_list",
        "column_values_to_not_match_regex_list",
        "column_values_to_match_strftime_format",
        "column_values_to_be_dateutil_parseable",
        "column_values_to_be_json_parseable",
        "column_values_to_match_json_schema",
        "column_value_lengths_to_be_between",
        "column_value_lengths_to_equal",
        "column_pair_values_a_to_be_greater_than_b",
        "column_pair_values_to_be_equal",
        "column_pair_values_to_be_in_set",
        "multicolumn_sum_to_equal",
        "select_column_values_to_be_unique_within_record",
    )
)
"""Expectations of each row alone."""

REPEATED = ("expect_column_values_to_be_unique", "expect_compound_columns_to_be_unique")
"""Expectations that no two rows are equal."""

IGNORED = {"all_values_are_missing": "all", "any_value_is_missing": "any", "never": None}


def _extremes(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows of the least and of the greatest value."""
    known = frame[frame[column].notna()]
    if not len(known):
        return frame.head(1)
    values = known[column]
    return known[(values == values.min()) | (values == values.max())].drop_duplicates(column)


def _different(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.drop_duplicates(column)


def _first(frame: pd.DataFrame, _: str) -> pd.DataFrame:
    return frame.head(1)


LESS: Mapping[str, Callable[[Any, str], Any]] = {
    "expect_column_max_to_be_between": _extremes,
    "expect_column_min_to_be_between": _extremes,
    "expect_column_distinct_values_to_be_in_set": _different,
    "expect_column_distinct_values_to_contain_set": _different,
    "expect_column_distinct_values_to_equal_set": _different,
    "expect_column_unique_value_count_to_be_between": _different,
    "expect_column_to_exist": _first,
    "expect_table_column_count_to_be_between": _first,
    "expect_table_column_count_to_equal": _first,
    "expect_table_columns_to_match_ordered_list": _first,
    "expect_table_columns_to_match_set": _first,
}
"""Expectations that judge what is left of the pieces, and what that is."""

ROWS = ("expect_table_row_count_to_be_between", "expect_table_row_count_to_equal")

JUDGED = EACH_ROW | set(REPEATED) | LESS.keys() | set(ROWS)
"""The expectations that can judge a day piece by piece."""


@dataclass
class Counts:
    """What a rule counted: all rows, those that it leaves out, and those that failed."""

    rows: int = 0
    missing: int = 0
    unexpected: int = 0

    def passes(self, mostly: float) -> bool:
        """The library's own sentence, with the same arithmetic."""
        considered = float(self.rows - self.missing)
        return considered == 0 or (considered - float(self.unexpected)) / considered >= mostly


Judge = Callable[[Sequence[GateRule], Any], Mapping[str, Any]]
"""Judges a frame: each rule's name -> the library's result."""

Outcome = tuple[Any, "Counts | None"]
"""The library's result of the day, or what was counted."""


class EachRow:
    """Rules that look at each row alone."""

    def __init__(self, rules: Sequence[GateRule], judge: Judge) -> None:
        self._rules, self._judge = rules, judge
        self._counts = {rule.name: Counts() for rule in rules}
        self._trouble: dict[str, Any] = {}

    def add(self, frame: pd.DataFrame) -> None:
        for name, result in self._judge(self._rules, frame).items() if self._rules else ():
            if result.exception_info and result.exception_info.get("raised_exception", True):
                self._trouble[name] = result
            counts, numbers = self._counts[name], result.result
            counts.rows += numbers.get("element_count") or 0
            counts.missing += numbers.get("missing_count") or 0
            counts.unexpected += numbers.get("unexpected_count") or 0

    def outcomes(self) -> dict[str, Outcome]:
        return {name: (self._trouble.get(name), counts) for name, counts in self._counts.items()}


class Repeated:
    """A rule that no two rows are equal."""

    def __init__(self, rule: GateRule, rows: int) -> None:
        self._rule, self._counts, self._repeated = rule, Counts(), RepeatedRows(rows)

    def add(self, frame: pd.DataFrame) -> None:
        chosen = _chosen(self._rule, frame)
        known = self._known(chosen)
        self._counts.rows += len(chosen)
        self._counts.missing += len(chosen) - len(known)
        self._repeated.add(known)

    def outcomes(self) -> dict[str, Outcome]:
        self._counts.unexpected = self._repeated.count()
        return {self._rule.name: (None, self._counts)}

    def _known(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows that must differ, with the columns that tell them apart."""
        arguments = self._rule.arguments
        if "column" in arguments:
            return frame[[arguments["column"]]].dropna()
        how = IGNORED[arguments.get("ignore_row_if", "all_values_are_missing")]
        own = frame[list(arguments["column_list"])]
        return own if how is None else own.dropna(how=how)


class Less:
    """A rule for which less than all rows will do; for one about the number of rows, rows without columns."""

    def __init__(self, rule: GateRule, judge: Judge) -> None:
        kept = {name: v for name, v in rule.arguments.items() if name not in ("row_condition", "condition_parser")}
        self._rule, self._bare, self._judge = rule, replace(rule, arguments=kept), judge
        self._left: list[pd.DataFrame] = []
        self._rows = 0

    def add(self, frame: pd.DataFrame) -> None:
        import pandas as pd

        chosen = _chosen(self._rule, frame)
        self._rows += len(chosen)
        if self._rule.type not in ROWS:
            column = self._rule.arguments.get("column", "")
            left = LESS[self._rule.type](pd.concat([*self._left, chosen], ignore_index=True), column)
            if len(left) > HELD:
                raise WrongWorkload(
                    f"expectations.yaml: gate rule '{self._rule.name}': a day has more than {HELD:,} different values "
                    f"of '{column}', which are not held; let Spark count them, in a rule over a SELECT"
                )
            self._left = [left]

    def outcomes(self) -> dict[str, Outcome]:
        import pandas as pd

        rows = pd.DataFrame(index=pd.RangeIndex(self._rows)) if self._rule.type in ROWS else self._left[0]
        return {self._rule.name: (self._judge([self._bare], rows)[self._rule.name], None)}


def judged_in_pieces(rules: Sequence[GateRule], rows: JudgedRows, day: date, judge: Judge) -> dict[str, Outcome]:
    """For each rule's name the library's result, or what was counted in all pieces.

    Raises WrongWorkload for a rule that needs the day as a whole.
    """
    _refuse_whole_days(rules, rows, day)
    others = [rule for rule in rules if rule.type not in EACH_ROW]
    parts: list[EachRow | Repeated | Less] = [EachRow([rule for rule in rules if rule.type in EACH_ROW], judge)]
    parts += [Repeated(rule, rows.count(day)) if rule.type in REPEATED else Less(rule, judge) for rule in others]
    for frame in frames(rows, day):
        for part in parts:
            part.add(frame)
    return {name: outcome for part in parts for name, outcome in part.outcomes().items()}


def _refuse_whole_days(rules: Sequence[GateRule], rows: JudgedRows, day: date) -> None:
    for rule in rules:
        if rule.type not in JUDGED:
            raise WrongWorkload(
                f"expectations.yaml: gate rule '{rule.name}': {rule.type} needs the {rows.count(day):,} rows of {day} "
                f"at once, and more than {HELD:,} are not held; let Spark compute it: over: SELECT day, "
                "... FROM events GROUP BY day, with an expectation about its column"
            )


def _chosen(rule: GateRule, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that a rule's condition chooses, as the library does."""
    condition = rule.arguments.get("row_condition")
    return frame if condition is None else frame.query(condition, parser=rule.arguments.get("condition_parser"))
