"""The text of an error: a line that tells the place, the line of the query, a caret below the place; printable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.compile import parse_text
from cep_core.language.errors import QueryError

TEXTS = {
    "q.cep": "PATTERN SEQ(A a, B+ b[])\nWHERE a.x > 3 AND b[i].s = 'one'\nWITHIN 5",
    "p.mfotl": '-- for each: x\nP(x, "one") AND NOT\nONCE[0,5] Q(x)',
    "p.mtl": "-- for each: x\nlate IMPLIES\nEVENTUALLY[0,3h] ok",
}
BREAKS = "\x00\x0b\x0c\r\x1b\x1c\x1d\x1e\x85\u2028\u2029\ufeff"
"""Characters that end a line to somebody, move a terminal's cursor, or cannot be seen."""


def refusal(text: str, path: str) -> QueryError | None:
    """Why a text is no query of the language of its path; None if it is."""
    try:
        parse_text(text, path)
    except QueryError as error:
        return error
    return None


@pytest.mark.parametrize("path", TEXTS)
@given(data=st.data())
def test_a_character_that_cannot_be_seen_is_told_with_its_place(path: str, data: st.DataObject) -> None:
    """Anywhere in a text, also within a word or a literal: a refusal points at its line, in three lines at most."""
    text = TEXTS[path]
    place = data.draw(st.integers(0, len(text)))
    text = text[:place] + data.draw(st.text(BREAKS, min_size=1, max_size=3)) + text[place:]
    error = refusal(text, path)
    if error is not None:
        lines = str(error).split("\n")
        assert len(lines) in (1, 3)
        assert all(line.isprintable() for line in lines)
        assert lines[0].startswith(f"{path}:{error.line}:{error.column}: ")
        assert 1 <= error.line <= text.count("\n") + 1
        pointed = "".join(c if c.isprintable() else " " for c in text.split("\n")[error.line - 1]).strip()
        assert len(lines) == 1 or lines[1].strip() == pointed


def test_what_is_shown_of_it_is_its_escape() -> None:
    error = refusal('"\x1e" SEQ(A a) WITHIN 5', "q.cep")
    assert "unexpected '\"\\x1e\"'" in str(error)
