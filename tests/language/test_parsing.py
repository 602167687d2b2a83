"""What the pattern language accepts, and where and how it refuses."""

from __future__ import annotations

import pytest

from cep_core.language.errors import QueryError
from cep_core.language.patterns.syntax import SpanUnit
from cep_core.language.patterns.text.parsing import parse, parse_condition, parse_pattern
from cep_core.language.patterns.text.printing import print_expression, print_pattern, print_query
from tests.language.paper_queries import CONDITIONS, FRAGMENTS, PATTERNS, QUERIES


def _listed(texts: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(number, text) for number, own in texts.items() for text in own]


@pytest.mark.parametrize("number", QUERIES)
def test_queries_of_the_papers_parse_as_printed(number: str) -> None:
    """Every complete query of papers 03 and 04 parses, and survives printing."""
    query = parse(QUERIES[number])
    assert parse(print_query(query)) == query


@pytest.mark.parametrize(("number", "text"), _listed(FRAGMENTS))
def test_clauses_of_the_papers_parse_in_a_query(number: str, text: str) -> None:
    """Clauses printed alone parse once the required clauses are there."""
    query = parse(text)
    assert parse(print_query(query)) == query


@pytest.mark.parametrize(("number", "text"), _listed(PATTERNS))
def test_patterns_of_the_papers_parse_as_printed(number: str, text: str) -> None:
    """Every pattern of papers 03, 04 and 05 parses, and survives printing."""
    pattern = parse_pattern(text)
    assert parse_pattern(print_pattern(pattern)) == pattern


@pytest.mark.parametrize(("number", "text"), _listed(CONDITIONS))
def test_conditions_of_the_papers_parse_as_printed(number: str, text: str) -> None:
    """Every predicate of papers 03 and 04 parses; conditions survive printing, `[x]` belongs to its query."""
    if text.startswith("["):
        assert parse(f"PATTERN A WHERE {text} WITHIN 1").equivalences[0].attribute == "job_id"
        return
    condition = parse_condition(text)
    assert parse_condition(print_expression(condition)) == condition


def test_clauses_stand_in_any_order_and_keywords_in_any_case() -> None:
    """Order, case, layout and comments change nothing."""
    usual = parse("RETURN COUNT(*) PATTERN SEQ(A, B+) WHERE [x] GROUP-BY x WITHIN 10 SLIDE 5")
    reordered = parse(
        "slide 5 -- a comment\nwithin 10 group by x where [x] // another\npattern seq(A; B+) return count(*)"
    )
    assert usual == reordered


@pytest.mark.parametrize(
    ("symbols", "words"),
    [
        ("a.x ≥ 1 ∧ a.y ≤ 2", "a.x >= 1 AND a.y <= 2"),
        ("a.x ^ a.y && a.z, a.w", "a.x AND a.y AND a.z AND a.w"),
        ("a.x ∨ a.y || !a.z", "a.x OR a.y OR NOT a.z"),
        ("a.x ≠ 2 × b.y", "a.x != 2 * b.y"),
        ("a.x <> 1 ∧ a.y == 2", "a.x != 1 AND a.y = 2"),
        ("a.(x, y) = b.(z, w)", "a.x = b.z AND a.y = b.w"),
        ("a.x not in (1, -2)", "NOT a.x IN (1, -2)"),
        ("b[b.len].x > b[n].x", "b[last].x > b[last].x"),
        ("max(b[1..i-1].x) < sum(b[1..n].x)", "max(b[..i-1].x) < sum(b[].x)"),
        ('a.x = "it\'s"', "a.x = 'it''s'"),
    ],
)
def test_symbols_mean_the_same_as_words(symbols: str, words: str) -> None:
    """The papers' symbols are other spellings."""
    assert parse_condition(symbols) == parse_condition(words)


@pytest.mark.parametrize(
    ("symbols", "words"),
    [
        ("SEQ(A, ~B, C)", "SEQ(A, NOT B, C)"),
        ("SEQ(A; !B; C)", "SEQ(A, NOT B, C)"),
        ("A ∪ B", "A OR B"),
        ("SEQ(A, B) && C", "SEQ(A, B) AND C"),
        ("B+ b[]", "B b[]+"),
        ("B{2} b", "B b{2}"),
        ("(A)", "A"),
    ],
)
def test_patterns_have_several_spellings(symbols: str, words: str) -> None:
    """Symbols, separators and the place of a quantifier are free."""
    assert parse_pattern(symbols) == parse_pattern(words)


def test_precedence() -> None:
    """NOT binds tighter than AND, AND than OR; products than sums; a minus belongs to its number."""
    assert print_expression(parse_condition("NOT a.x AND b.y OR c.z")) == "NOT a.x AND b.y OR c.z"
    assert parse_condition("(NOT a.x AND b.y) OR c.z") == parse_condition("NOT a.x AND b.y OR c.z")
    assert parse_condition("a.x + (b.y * 2) > -3") == parse_condition("a.x + b.y * 2 > -3")
    assert parse_condition("a.x - b.y - c.z > 0") != parse_condition("a.x - (b.y - c.z) > 0")


def test_spans_know_their_units() -> None:
    """`5min`, `10 ms`, `3 EVENTS`, `7`."""
    units = [parse(f"PATTERN A WITHIN {span}").within.unit for span in ("5min", "10 ms", "3 EVENTS", "7", "2 d")]
    assert units == [SpanUnit.MINUTES, SpanUnit.MILLISECONDS, SpanUnit.EVENTS, None, SpanUnit.DAYS]


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"),
    [
        ("PATTERN SEQ(A a\nWITHIN 5", 2, 1, "unexpected 'WITHIN', expected one of ')', ',', ';'", ""),
        ("PATTERN A", 1, 10, "WITHIN is missing", "PATTERN and WITHIN are required"),
        ("WITHIN 5", 1, 9, "PATTERN is missing", "PATTERN and WITHIN are required"),
        ("", 1, 1, "PATTERN is missing", "PATTERN and WITHIN are required"),
        ("PATTERN A WITHN 5", 1, 11, "unexpected 'WITHN'", "did you mean 'WITHIN'?"),
        ("PATTERN A WHER a.x > 1 WITHIN 5", 1, 11, "unexpected 'WHER'", "did you mean 'WHERE'?"),
        ("PATTERN A WITHIN 5 WITHIN 6", 1, 20, "a second WITHIN", "the first is in line 1"),
        ("PATTERN A WITHIN 0", 1, 18, "a window has a positive size", ""),
        ("PATTERN A @ WITHIN 5", 1, 11, "unexpected character '@'", ""),
        ("PATTERN SEQ(A,", 1, 15, "the query ends too early", ""),
        ("PATTERN B b[] WITHIN 5", 1, 11, "b[] is a list, but B has no quantifier", "write B+ b[]"),
        ("PATTERN A{3,1} WITHIN 5", 1, 10, "a repetition that never happens", "write {least,most}"),
        ("PATTERN ANY(3, A, B) WITHIN 5", 1, 9, "ANY(3, ...) of 2 units", "ask for 1 to 2"),
        ("PATTERN ANY(A+, B) WITHIN 5", 1, 13, "ANY takes plain event types", "repeat a type"),
        ("PATTERN A WHERE b[i+1].x > 3 WITHIN 5", 1, 20, "unexpected '+'", ""),
        ("PATTERN A WHERE b[i-2].x > 3 WITHIN 5", 1, 19, "unknown index", "write b[i]"),
        ("PATTERN A WHERE b[0].x > 3 WITHIN 5", 1, 19, "events are counted from 1", "write b[i]"),
        ("PATTERN A WHERE b[c.len].x > 3 WITHIN 5", 1, 17, "b[c.len] is not the length of b", "write b[i]"),
        ("PATTERN A WHERE max(b[2..i].x) > 3 WITHIN 5", 1, 23, "unknown range", "write b[]"),
        ("PATTERN A WHERE avg(b.x) > 3 WITHIN 5", 1, 17, "an aggregate over all trends", "avg(b[].x)"),
        ("PATTERN A WHERE NOT [x] WITHIN 5", 1, 21, "[...] must be a condition of its own", "AND"),
        ("PATTERN A WHERE a.(x, y) > 3 WITHIN 5", 1, 20, "a.(x, y) stands in RETURN", ""),
        ("RETURN COUNT(A.x) PATTERN A WITHIN 5", 1, 8, "count over all trends takes a variable", "COUNT(A)"),
        ("RETURN SUM(A) PATTERN A WITHIN 5", 1, 8, "sum over all trends takes an attribute", "SUM(A.x)"),
        ("RETURN MAX(*) PATTERN A WITHIN 5", 1, 8, "MAX(*) has no meaning", "COUNT(*)"),
        ("PATTERN A WHERE a.x > 99999999999999999999 WITHIN 5", 1, 23, "a number beyond 64 bits", ""),
        ("PATTERN A WHERE a.x IN (-'b') WITHIN 5", 1, 25, "a minus belongs to a number", ""),
        ("PATTERN A WHERE a.x > WITHIN 5", 1, 23, "unexpected 'WITHIN'", ""),
        ("PATTERN SEQ(A a B b) WITHIN 5", 1, 17, "unexpected 'B'", "is a ',' missing before it?"),
        ("PATTERN A WITHIN 5 fortnights", 1, 20, "unexpected 'fortnights'", "units are ms, s"),
        ("PATTERN A WHERE a.x = 'b WITHIN 5", 1, 23, "unexpected character", "same quote"),
        ("PATTERN A GROUP x WITHIN 5", 1, 11, "unexpected 'GROUP'", "did you mean 'GROUP-BY'?"),
        ("PATTERN A WHERE a.x > 1e999 WITHIN 5", 1, 23, "a number too large", ""),
    ],
)
def test_refusals_have_place_and_hint(text: str, line: int, column: int, message: str, hint: str) -> None:
    """A refusal says where, what was found, what was expected, and how to go on."""
    with pytest.raises(QueryError) as caught:
        parse(text, "q.cep")
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert error.message.startswith(message)
    assert hint in error.hint
    assert str(error).startswith(f"q.cep:{line}:{column}: ")


def test_the_caret_stands_under_the_mistake() -> None:
    """The line is shown without its indentation, the caret under what is wrong."""
    with pytest.raises(QueryError) as caught:
        parse("PATTERN A\n    WHERE a.x > 1e999\nWITHIN 5", "q.cep")
    lines = str(caught.value).splitlines()
    assert lines[1:] == ["    WHERE a.x > 1e999", "                ^^^^^"]


def test_clause_words_may_name_attributes() -> None:
    """After a dot and in brackets every word is an attribute."""
    query = parse("PATTERN A a WHERE [within] AND a.return > a.not WITHIN 5")
    assert query.equivalences[0].attribute == "within"


def test_deep_nesting_is_refused_not_crashed_upon() -> None:
    """A hostile text gets an error of the language."""
    with pytest.raises(QueryError, match="nested too deeply"):
        parse("PATTERN " + "(" * 5000 + "A" + ")" * 5000 + " WITHIN 5")
