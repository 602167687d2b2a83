"""The section `alerts` of workload.yaml: what it says, and each mistake with file, line, caret and hint."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.analysis.folder import check_folder
from jobs.cli import main
from jobs.workload.files.problems import WorkloadError
from jobs.workload.sections.alerting.condition import (
    MEASURES,
    SUMMARIES,
    Condition,
    ConditionError,
    Summary,
    parse_condition,
)
from tests.alerts.conftest import ALERTS, declare

NUMBERS = st.one_of(st.integers(-(10**9), 10**9).map(Fraction), st.integers(1, 10**6).map(lambda n: Fraction(n, 1000)))
CONDITIONS = st.builds(
    Condition,
    st.sampled_from(["late", "max", "q_1"]),
    st.sampled_from(sorted(MEASURES)),
    st.sampled_from([">", ">=", "<", "<=", "=", "!="]),
    st.one_of(NUMBERS, st.builds(Summary, NUMBERS, st.sampled_from(SUMMARIES), st.integers(1, 400))),
)

WORDS = ["late", ".", "total", " ", ">", ">=", "=", "5", "1_0", "1e3", "*", "median", "(", "28", ")", ",", "\u00e9"]


@given(CONDITIONS)
def test_a_condition_reads_as_it_is_written(condition: Condition) -> None:
    text = str(condition)
    read = parse_condition(text, ["late", "max", "q_1"])
    assert str(read) == text
    assert read == Condition(*list(vars(condition).values())[:-1], at=text.index(".") + 1)


@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=9).map("".join)))
def test_any_text_is_a_condition_or_has_a_mistake_in_it(text: str) -> None:
    wrong = None
    try:
        parse_condition(text, ["late"])
    except ConditionError as error:
        wrong = error
    assert wrong is None or (0 <= wrong.start <= len(text) and wrong.message)


def test_what_a_workload_says(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each alert in one form, with its places: those it names, or all."""
    alerts = check_folder(home / "workloads" / "lines").workload.alerts
    assert {alert.thing: alert.places for alert in alerts.alerts} == {
        "snowball.total > 5": ("ops", "duty"),
        "late_chains.rows < 10": ("ops",),
        "all_departures.max > 1.5 * median(2)": ("ops", "duty"),
        "late: 06:00": ("ops",),
        "gate: failed": ("ops", "duty"),
    }
    assert main(["check", "lines"]) == 0
    assert "  5 alerts, to ops, duty\n" in capsys.readouterr().out


@pytest.mark.parametrize("written", ["6:30", "'06:30'", "06:30"])
def test_a_time_of_day(home: Path, written: str) -> None:
    """YAML reads 6:30 as the number 390."""
    declare(home, ALERTS.replace("06:00", written))
    alerts = check_folder(home / "workloads" / "lines").workload.alerts.alerts
    assert alerts[3].thing == "late: 06:30"


@pytest.mark.parametrize(
    ("before", "after", "problem", "hint"),
    [
        ("snowball.total > 5", "snowbal.total > 5", "17:7: there is no query or policy 'snowbal'", "mean 'snowball'?"),
        ("snowball.total > 5", "snowball.totl > 5", "17:16: a day of a query has no value 'totl'", "mean 'total'?"),
        (
            "snowball.total > 5",
            "snowball.max > 5",
            "17:16: a day of the matching query 'snowball'",
            "it has total, rows",
        ),
        ("late_chains.rows", "late_chains.total", "18:24: a day of the aggregation 'late_chains'", "it has rows, max"),
        ("> 5", "> 10,000", "17:26: unexpected character ',', expected '*'", "write a large number as 10000"),
        ("> 5", ">", "17:23: the condition ends too early, expected a name or a number", "such as: contagion"),
        ("> 5", "== 5", "17:23: unexpected '=', expected a name or a number", "write = for equal"),
        ("1.5 * median(2)", "1.5 * mean(2)", "19:34: unknown summary 'mean'", "did you mean 'median'?"),
        ("median(2)", "median(0)", "19:41: expected a whole number of days before, from 1 to 400", ""),
        ("late: 06:00", "late: 24:00", "20:14: alerts.when[3].late: expected a time of day", ""),
        ("gate: failed", "gate: passed", "21:13: alerts.when[4].gate: expected 'failed', found 'passed'", ""),
        ("to: ops", "to: opps", "18:39: alerts.when[1].to: unknown place 'opps'; did you mean 'ops'?", ""),
        ("gate: failed", "snowball.total>5", "21:7: alerts.when[4]: 'snowball.total > 5' stands here a second", ""),
        ("webhook: ", "webhok: ", "14:10: alerts.places.ops: expected one of webhook, mail, airflow, found none", ""),
        ("${env:TEST_OPS:-}", "https://h/hook", "14:20: alerts.places.ops.webhook: whoever knows", ""),
        ("${env:TEST_OPS:-}", "${env:TEST_OPS:-https://h/hook}", "14:20: alerts.places.ops.webhook: whoever knows", ""),
        ("${env:TEST_SMTP:-}", "smtp://me:s3cret@h", "15:73: alerts.places.duty.server: a password stands plainly", ""),
        ("${env:TEST_SMTP:-}", "${TEST_SMTP}", "'${TEST_SMTP}' is no reference; write ${env:NAME}", ""),
        ("mail: duty@example.com", "mail: duty", "15:18: alerts.places.duty.mail: expected an address", ""),
    ],
)
def test_a_mistake_has_its_place(home: Path, before: str, after: str, problem: str, hint: str) -> None:
    """File, line and column, the line with a caret, what was expected, a hint."""
    assert before in ALERTS
    declare(home, ALERTS.replace(before, after, 1))
    with pytest.raises(WorkloadError) as wrong:
        check_folder(home / "workloads" / "lines")
    text = str(wrong.value)
    [message] = [each for each in wrong.value.problems if problem in each]
    assert message.startswith("workload.yaml:")
    assert "^" in message
    assert hint in message
    assert "s3cret" not in text.replace(after, "")


def test_a_secret_among_arguments(home: Path) -> None:
    declare(
        home,
        "alerts: {places: {p: {airflow: c, arguments: {a: {api_key: x}, b: '${env:X}'}}}, when: [snowball.rows > 1]}",
    )
    with pytest.raises(WorkloadError, match=r"arguments\.a\.api_key: looks like a secret"):
        check_folder(home / "workloads" / "lines")
