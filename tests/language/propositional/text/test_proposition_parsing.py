"""The text of propositional policies: words, symbols, precedence, faults and their places (checklist M1, B6)."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.errors import QueryError, QueryErrors
from cep_core.language.propositional.text.parsing import parse
from cep_core.language.propositional.text.printing import formula_text
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.interval_error import IntervalError
from cep_core.language.temporal.text.reading import DEEPEST
from tests.language.propositional.text.written_propositions import in_symbols, propositions


@given(propositions)
def test_printing_and_parsing_gives_the_formula_again(formula: Formula) -> None:
    assert parse(formula_text(formula)).formula == formula


@given(propositions, st.data())
def test_symbols_mean_what_words_mean(formula: Formula, data: st.DataObject) -> None:
    assert parse(in_symbols(formula, data)).formula == formula


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a AND b OR c", "(a AND b) OR c"),
        ("a OR b IMPLIES c IMPLIES d", "(a OR b) IMPLIES (c IMPLIES d)"),
        ("a IMPLIES b EQUIV c", "(a IMPLIES b) EQUIV c"),
        ("ALWAYS a AND b", "ALWAYS (a AND b)"),
        ("a AND ONCE b OR c", "a AND (ONCE (b OR c))"),
        ("a AND b UNTIL c OR d", "(a AND b) UNTIL (c OR d)"),
        ("a UNTIL b UNTIL c", "a UNTIL (b UNTIL c)"),
        ("NOT a SINCE b", "(NOT a) SINCE b"),
        ("!a U !b", "(NOT a) UNTIL (NOT b)"),
        ("◇[0,5] □ p", "EVENTUALLY[0,5] (ALWAYS p)"),
        ("a -> ◇[0,3h] b", "a IMPLIES (EVENTUALLY[0,3h] b)"),
        ("P0 UNTIL[0,INFINITY] P1", "P0 UNTIL P1"),
        ("true SINCE[2,3] P1", "TRUE SINCE[2,3] P1"),
        ("NOT ((ONCE [0,60] error) AND auth)", "NOT ((ONCE[0,60] error) AND auth)"),
        ("U U[0,5] S S (S & U)", "U UNTIL[0,5] (S SINCE (S AND U))"),
    ],
)
def test_precedence_is_that_of_first_order_policies(text: str, meaning: str) -> None:
    assert parse(text).formula == parse(meaning).formula


@pytest.mark.parametrize("text", ["□ a & b", "a & □ b & c", "a U b & c", "a | b U c", "◇[0,5] a -> b", "a AND b U c"])
def test_symbols_without_brackets_are_refused_with_the_brackets_that_would_do(text: str) -> None:
    with pytest.raises(QueryError, match="mixed without brackets") as refused:
        parse(text)
    written = refused.value.hint.removeprefix("write ").removesuffix(", or bracket its parts otherwise")
    parse(written)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("NOT (◁ [0,60] (error (true)* error) AND auth)", (1, 6), "regular expression over the past"),
        ("p0 OR (▷ [2,2] p1* p2)", (1, 8), "regular expression over the future"),
        ("p0 OR\n(p1 |> p2)", (2, 5), "regular expression over the future"),
        ("P(x)", (1, 2), "unexpected '\\('"),
        ("late > 5", (1, 6), "unexpected '>'"),
        ("a AND AND b", (1, 7), "unexpected 'AND'"),
        ("a ->", (1, 5), "ends too early"),
        ("EVENTUALY[0,5] a", (1, 10), "unexpected '\\['"),
        ("a S[0,1.5] b", (1, 7), "whole number"),
        ("a S[0,5x] b", (1, 7), "unknown unit 'x'"),
        ("LET a = b IN a", (1, 1), "unexpected 'LET'"),
        ("a\n-- for each: x", (2, 1), "stands before the formula"),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(QueryError, match=message) as refused:
        parse(text)
    assert (refused.value.line, refused.value.column) == place
    assert refused.value.hint or "ends too early" in message or "whole" in message or "before" in message


def test_regular_operators_come_with_the_query_to_write() -> None:
    with pytest.raises(QueryError) as refused:
        parse("NOT (◁ [0,60] (error error))")
    assert "PATTERN SEQ(" in refused.value.hint


@pytest.mark.parametrize("text", ["a U[5,3] b", "a U(3,4) b", "ONCE[2,2) a", "ONCE[-1,2] a"])
def test_intervals_without_a_member_are_refused(text: str) -> None:
    with pytest.raises(IntervalError):
        parse(text)


def test_all_wrong_intervals_are_told_at_once() -> None:
    with pytest.raises(QueryErrors) as refused:
        parse("(ONCE[2,1] a) AND ONCE[3,2] b")
    assert len(refused.value.errors) == 2


def test_too_deep_a_formula_is_refused() -> None:
    parse("NOT " * (DEEPEST - 1) + "a")
    with pytest.raises(QueryError, match="nested too deeply"):
        parse("NOT " * DEEPEST + "a")


@given(st.text(st.sampled_from("aUS &|!->()[]0,5◇□●⊤\n#/*"), max_size=30))
def test_any_text_is_a_policy_or_a_query_error(text: str) -> None:
    with suppress(QueryError):
        assert parse(text).must_hold
