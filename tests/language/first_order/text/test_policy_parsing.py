"""MonPoly's text: precedence, intervals, words, faults and their places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.errors import Position, QueryError, QueryErrors
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.first_order.text.words import KEYWORDS
from cep_core.language.temporal.formulas import Always, Comparison, Eventually, Formula, Historically, Predicate, Prev
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.interval_error import IntervalError
from cep_core.language.temporal.terms import Arithmetic, Constant, Variable
from cep_core.language.temporal.text.reading import DEEPEST
from cep_core.language.temporal.text.written import WrittenPolicy
from tests.language.first_order.text.written_formulas import formulas


def _formula(text: str) -> Formula:
    return parse(text).formula


def _error(text: str) -> QueryError:
    with pytest.raises(QueryError) as caught:
        parse(text, "p.mfotl")
    return caught.value


@given(formulas)
def test_a_printed_formula_parses_to_itself(formula: Formula) -> None:
    """Every node, quotes in texts, names with operators in them, the ends of 64 bits."""
    assert _formula(formula_text(formula)) == formula


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        # NOT binds strongest, then AND, OR, IMPLIES, EQUIV
        ("NOT a() AND b()", "(NOT a()) AND b()"),
        ("a() OR b() AND c()", "a() OR (b() AND c())"),
        ("a() AND b() AND c()", "(a() AND b()) AND c()"),
        ("a() IMPLIES b() IMPLIES c()", "a() IMPLIES (b() IMPLIES c())"),
        ("a() EQUIV b() IMPLIES c() OR d()", "a() EQUIV (b() IMPLIES (c() OR d()))"),
        ("a() EQUIV b() EQUIV c()", "(a() EQUIV b()) EQUIV c()"),
        # quantifiers reach to the right, also inside stronger operators, but not beyond SINCE
        ("EXISTS x. a(x) AND b() OR c()", "EXISTS x. ((a(x) AND b()) OR c())"),
        ("a() AND EXISTS x. b(x) OR c()", "a() AND (EXISTS x. (b(x) OR c()))"),
        ("NOT FORALL x. a(x) AND b()", "NOT (FORALL x. (a(x) AND b()))"),
        ("EXISTS x. a(x) SINCE b()", "(EXISTS x. a(x)) SINCE b()"),
        ("a() AND EXISTS x. b(x) SINCE c()", "(a() AND EXISTS x. b(x)) SINCE c()"),
        # temporal operators with one operand bind weaker than AND and quantifiers
        ("ONCE[0,3] a() AND b()", "ONCE[0,3] (a() AND b())"),
        ("ONCE EXISTS x. a(x) AND b()", "ONCE (EXISTS x. (a(x) AND b()))"),
        ("PREV a() SINCE NEXT b() OR c()", "(PREV a()) SINCE (NEXT (b() OR c()))"),
        ("NOT ONCE a() AND b()", "NOT (ONCE (a() AND b()))"),
        # SINCE and its like bind weakest, to the right
        ("a() SINCE[1,2] b() UNTIL[3,4] c()", "a() SINCE[1,2] (b() UNTIL[3,4] c())"),
        ("a() TRIGGER b() RELEASE c()", "a() TRIGGER (b() RELEASE c())"),
        ("a() AND b() SINCE c() OR d()", "(a() AND b()) SINCE (c() OR d())"),
        # LET and aggregations reach to the end
        ("LET p(x) = a(x) SINCE b() IN p(y) UNTIL c()", "LET p(x) = (a(x) SINCE b()) IN (p(y) UNTIL c())"),
        ("a() AND s <- SUM x; g p(x,g) SINCE b()", "a() AND (s <- SUM x; g (p(x,g) SINCE b()))"),
        ("PREV n <- CNT x p(x) AND b() SINCE c()", "PREV (n <- CNT x ((p(x) AND b()) SINCE c()))"),
        ("n <- CNT x; (p(x))", "n <- CNT x p(x)"),
        # terms: products before sums, MOD is a product, signs first
        ("x + y * z = 1", "x + (y * z) = 1"),
        ("r = x MOD y + z", "r = (x MOD y) + z"),
        ("x - y - z = 1", "(x - y) - z = 1"),
        ("- x * y = 1", "(-(x)) * y = 1"),
        ("(x) = 1 AND ((p(x)))", "x = 1 AND p(x)"),
        # comments, of MonPoly and of SQL
        ("a() # b()\n AND -- c()\n (* d()\n *) e()", "a() AND e()"),
    ],
)
def test_operators_bind_as_in_monpoly(written: str, meant: str) -> None:
    assert _formula(written) == _formula(meant)


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("[1,5]", Interval(1, 5)),
        ("[1,5)", Interval(1, 5, high_open=True)),
        ("(1,5]", Interval(1, 5, low_open=True)),
        ("(1 , 5)", Interval(1, 5, low_open=True, high_open=True)),
        ("[1,*]", Interval(1)),
        ("(1,*)", Interval(1, low_open=True)),
        ("[0,*)", ANY_TIME),
        ("", ANY_TIME),
        ("[30s,2h)", Interval(30, 2, "s", "h", high_open=True)),
        ("[0,7d]", Interval(0, 7, high_unit="d")),
        ("[0m,0d]", Interval(0, 0, "m", "d")),
    ],
)
def test_intervals(text: str, interval: Interval) -> None:
    assert _formula(f"ONCE{text} (p())").interval == interval  # type: ignore[union-attr]
    assert _formula(f"p() UNTIL {text} (q())").interval == interval  # type: ignore[union-attr]


def test_synonyms() -> None:
    p = Predicate("p")
    assert _formula("PREVIOUS p()") == Prev(ANY_TIME, p)
    assert _formula("SOMETIMES p()") == Eventually(ANY_TIME, p)
    assert _formula("PAST_ALWAYS p()") == _formula("HISTORICALLY p()") == Historically(ANY_TIME, p)
    assert _formula("FUTURE_ALWAYS p()") == _formula("ALWAYS p()") == Always(ANY_TIME, p)


def test_names_may_contain_operators() -> None:
    """Blanks make `x - 5` a difference; a sign that touches its number belongs to the number."""
    assert _formula("x-5 = 1") == Comparison("=", Variable("x-5"), Constant(1))
    assert _formula("x - 5 = 1") == Comparison("=", Arithmetic("-", Variable("x"), Constant(5)), Constant(1))
    assert _formula("x -5 = 1") == _formula("x - 5 = 1")
    assert _formula("x<-5") == Comparison("<", Variable("x"), Constant(-5))
    assert _error("x = 3-5").hint == "write blanks around operators"


def test_named_arguments() -> None:
    formula = _formula("Departure(tail=t, origin='JFK')")
    assert formula == Predicate("Departure", (Variable("t"), Constant("JFK")), ("tail", "origin"))
    assert "without a name" in _error("Departure(t, origin=o)").message
    assert "second argument 'tail'" in _error("Departure(tail=t, tail=o)").message


def test_the_first_lines() -> None:
    policy = parse("# a comment\n-- for each: tail, it's\n-- Policy: Must hold.\n\n  p()\n-- policy is what it is")
    assert policy == WrittenPolicy(Predicate("p"), Position(5, 3, 3), must_hold=True, for_each=("tail", "it's"))
    assert parse("# page\x0c\u2028\r\n-- policy: must hold\r\np()\r\n").must_hold
    assert parse("p()") == WrittenPolicy(Predicate("p"), Position(1, 1, 3))


@pytest.mark.parametrize(
    ("text", "place", "words", "hint"),
    [
        ("", (1, 1), "ends too early", ""),
        ("p(x) AND", (1, 9), "ends too early", ""),
        ("ONCE ((p(x)", (1, 12), "ends too early", "2 of '(' stay open"),
        ("p(x)\n  and q(x)", (2, 3), "unexpected 'and'", "did you mean 'AND'?"),
        ("p(x) SICNE q(x)", (1, 6), "unexpected 'SICNE'", "did you mean 'SINCE'?"),
        ("EXISTS x p(x)", (1, 10), "expected '.'", ""),
        ("n <- COUNT x p(x)", (1, 6), "expected one of CNT, SUM, AVG", ""),
        ("x != y", (1, 3), "unexpected", "write NOT x = y"),
        ("p(AND)", (1, 3), "unexpected 'AND'", "AND is a word of the language"),
        ("LET p(3) = q() IN p(3)", (1, 7), "unexpected '3'", ""),
        ("EXISTS _. p(_)", (1, 8), "without a name", "stands only as an argument"),
        ("p('abc)", (1, 3), "unexpected", "closed by the same quote"),
        ("(* p()", (1, 2), "unexpected", "closed by '*)'"),
        ("p(9223372036854775808)", (1, 3), "beyond 64 bits", ""),
        ("x = 1.0e999", (1, 5), "too large", ""),
        ("ONCE[0,5w] p()", (1, 8), "unknown unit 'w'", "units are s, m, h, d"),
        ("ONCE[0,1.5] p()", (1, 8), "whole number", ""),
        ("LETPAST p(x) = q(x) IN p(x)", (1, 1), "'LETPAST' is not supported", ""),
        ("q() AND FRZ p(x) = q(x) IN p(x)", (1, 9), "'FRZ' is not supported", ""),
        ("|> p()*", (1, 1), "'|>' is not supported", ""),
        ("p() <| q()", (1, 5), "'<|' is not supported", ""),
        ("-- policy: must hlod\np()", (1, 1), "unknown kind of policy", "did you mean 'must hold'?"),
        ("-- for each:\np()", (1, 1), "names of attributes", "-- for each: x, y"),
        ("-- for each: x, x\np()", (1, 1), "twice", ""),
        ("-- policy: must hold\n-- policy: must hold\np()", (2, 1), "a second", ""),
        ("p()\n -- for each: x", (2, 2), "before the formula", "first lines"),
    ],
)
def test_faults_of_syntax(text: str, place: tuple[int, int], words: str, hint: str) -> None:
    error = _error(text)
    assert (error.line, error.column) == place
    assert words in error.message
    assert hint in error.hint
    assert not isinstance(error, IntervalError)


@pytest.mark.parametrize("interval", ["[3,3)", "(3,3]", "(3,4)", "[4,1]", "(0,0)", "[-4,-1]", "[-1,5]", "[2h,90m]"])
def test_an_interval_without_time_is_a_fault_of_its_own(interval: str) -> None:
    error = _error(f"p() SINCE {interval} q()")
    assert isinstance(error, IntervalError)
    assert (error.line, error.column, error.at.length) == (1, 11, len(interval))


def test_all_faults_of_intervals_come_after_those_of_syntax() -> None:
    error = _error("ONCE[5,3] p() AND PREV[3,3) q()")
    assert isinstance(error, QueryErrors)
    assert [(type(fault), fault.column) for fault in error.errors] == [(IntervalError, 5), (IntervalError, 23)]
    assert not isinstance(_error("ONCE[5,3] p() AND PREV[3,3) q("), IntervalError | QueryErrors)


@pytest.mark.parametrize("length", [DEEPEST, 3000])
@pytest.mark.parametrize(
    "text", ["NOT {}p()", "p() AND {}p()", "p() SINCE {}p()", "EXISTS x. {}p()", "x = {}1", "x = i2f({}1"]
)
def test_depth_is_bounded_and_no_limit_of_python_is_met(text: str, length: int) -> None:
    """Brackets cost no depth."""
    before, after = text.split("{}")
    is_term, is_call = before.startswith("x"), "(" in before[3:] and before.startswith("x")
    piece = "- " if is_term and not is_call else "i2f(" if is_call else before
    close = ")" if is_call else ""
    deep = ("x = " if is_term else "") + piece * length + after + close * length
    fits = ("x = " if is_term else "") + piece * (DEEPEST - 2) + after + close * (DEEPEST - 2)
    assert "nested too deeply" in _error(deep).message
    assert _formula(formula_text(_formula(fits))) == _formula("(" * 3000 + fits + ")" * 3000)


@given(st.text(max_size=40))
def test_any_text_parses_or_is_refused(text: str) -> None:
    _parse_or_refuse(text)


WORDS = [
    *KEYWORDS, "(", ")", "[", "]", ",", ".", ";", "=", "<", "<-", "+", "-", "*", "p", "x", "y", "1", "5s", "_", "'a'",
    'r"b"', "#", "--", "p(x)", "q()", "[0,5]",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS)))
def test_any_row_of_words_parses_or_is_refused(words: list[str]) -> None:
    _parse_or_refuse(" ".join(words))


def _parse_or_refuse(text: str) -> None:
    """Any other error fails the test."""
    refusal: QueryError | None = None
    try:
        formula = _formula(text)
    except QueryError as error:
        refusal = error
    if refusal is None:
        assert _formula(formula_text(formula)) == formula
    else:
        assert str(refusal)
        assert 1 <= refusal.line <= max(len(text.splitlines()), 1)
