"""`-- policy: must hold` and `-- for each`, and what a workload refuses beyond what a whole log takes."""

from __future__ import annotations

import pytest

from cep_core.language.errors import QueryError
from tests.language.first_order.bound_policies import bound, shown


@pytest.mark.parametrize(
    ("text", "core", "variables"),
    [
        ("ALWAYS FORALL x. P(x) IMPLIES ONCE[0,5] Q(x)", "P(x) AND NOT (ONCE[0,5] Q(x))", "x"),
        ("FORALL x. ALWAYS[0,*) FORALL y. R(x, y) IMPLIES Q(x)", "R(x, y) AND NOT Q(x)", "x y"),
        ("ALWAYS[0,5] T()", "NOT NOT (EVENTUALLY[0,5] NOT T())", ""),
        ("T()", "NOT T()", ""),
        ("ALWAYS NOT EXISTS x. P(x)", "EXISTS x. P(x)", ""),
        ("FORALL x. NOT (P(x) AND PREV Q(x))", "P(x) AND (PREV Q(x))", "x"),
    ],
)
def test_what_must_hold_is_negated(text: str, core: str, variables: str) -> None:
    policy = bound(f"-- policy: must hold\n{text}")
    assert policy.must_hold
    assert shown(policy.core) == core
    assert " ".join(policy.variables) == variables


def test_sub_logs_need_their_attributes_in_every_atom() -> None:
    assert bound("-- for each: origin\nDeparture(tail=t) AND NOT PREV Weather()").for_each == ("origin",)
    with pytest.raises(QueryError, match="P lacks 'origin', so no sub-log has its events"):
        bound("-- for each: origin\nDeparture(tail=t) AND P(_)")
    with pytest.raises(QueryError, match="no event type has the attribute 'orign'") as refused:
        bound("-- policy: must hold\n-- for each: orign\nDeparture()")
    assert (refused.value.line, refused.value.hint) == (2, "did you mean 'origin'?")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("P(x) AND tp(i)", 10, "'tp' depends on where the log starts"),
        ("P(x) AND tpts(i, t)", 10, "'tpts' depends on where the log starts"),
        ("LET A(x) = P(x) AND tp(x) IN A(y)", 21, "'tp' depends on where the log starts"),
        ("NEXT P(x)", 1, "NEXT without an upper bound waits for a point that may never come"),
        ("NEXT[5,*) P(x)", 1, "NEXT without an upper bound waits for a point that may never come"),
        ("P(ts)", 3, "every result has a column 'ts'"),
        ("P(Day)", 3, "every result has a column 'day'"),
        ("run_id <- CNT x P(x)", 1, "every result has a column 'run_id'"),
        ("P(touches_end)", 3, "every result has a column 'touches_end'"),
        ("P(a-b)", 3, "no column can be called 'a-b'"),
        ("Departure(delay=NULL)", 17, "'NULL' would be a variable"),
        ("Departure(cancelled=true)", 21, "'true' would be a variable"),
        ("P(x) AND Q(X)", 12, "two columns named 'x' and 'X'"),
    ],
)
def test_a_workload_refuses(text: str, column: int, message: str) -> None:
    bound(text)
    with pytest.raises(QueryError) as refused:
        bound(text, whole_log=False)
    assert (refused.value.message, refused.value.column) == (message, column)


def test_a_variable_called_like_the_column_of_a_sub_log() -> None:
    with pytest.raises(QueryError, match="two columns named 'tail' and 'tail'"):
        bound("-- for each: tail\nDeparture(origin=tail)", whole_log=False)


def test_a_workload_takes_bound_names_of_any_kind() -> None:
    bound("EXISTS ts, a-b. R(ts, a-b) AND ts(u) AND NEXT[0,1h] P(x)", whole_log=False)
