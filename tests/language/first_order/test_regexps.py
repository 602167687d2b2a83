"""MonPoly's regular expressions: what is special, and what stands for itself."""

from __future__ import annotations

import pytest

from cep_core.language.first_order.regexps import regular_expression


@pytest.mark.parametrize(
    ("pattern", "text", "place"),
    [
        ("(a)", "(a)", (0, 3)),
        ("a{2}|b", "a{2}|b", (0, 6)),
        (r"a\|bc", "xbc", (1, 3)),
        (r"\(ab\)+", "xababx", (1, 5)),
        ("ab?c", "ac", (0, 2)),
        ("a+?", "aaa", (0, 3)),  # a repetition of a repetition, not a lazy one
        ("*a", "*a", (0, 2)),
        (r"\*\.", "x*.", (1, 3)),
        ("[]a]+", "x]a]", (1, 4)),
        ("[^]a]", "]ab", (2, 3)),
        ("[a-c-]+", "xb-c", (1, 4)),
        (r"[\d]+", r"x\d", (1, 3)),
        ("[.^$]+", "a.^$", (1, 4)),
        ("^b", "a\nb", (2, 3)),
        ("a$", "a\nb", (0, 1)),
        ("a.b", "a\nb", None),
        (r"\bend", "bend end", (5, 8)),
        (r"\(.\)\1", "abccd", (2, 4)),
        (r"\(a\)\12", "aa2", (0, 3)),
        (r"\d", "5d", (1, 2)),
        ("a\\", "a\\", (0, 2)),
        ("", "abc", (0, 0)),
    ],
)
def test_what_an_expression_finds(pattern: str, text: str, place: tuple[int, int] | None) -> None:
    match = regular_expression(pattern).search(text)
    assert (match and match.span()) == place


def test_groups_count_from_the_left() -> None:
    match = regular_expression(r"\(a\(b\)*\)\(c\)").search("abbc")
    assert match
    assert match.groups() == ("abb", "b", "c")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"\(a", r"\\\( is not closed by \\\)"),
        (r"a\)", r"\\\) closes no \\\("),
        ("[a", r"\[ is not closed by \]"),
        ("[]", r"\[ is not closed by \]"),
        (r"\2\(a\)", "invalid group reference"),
        ("[z-a]", "bad character range"),
    ],
)
def test_a_pattern_that_is_no_expression_says_why(pattern: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        regular_expression(pattern)
