"""Whatever is written, the answer is a query or an error of the language."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.compile import parse_text
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import QueryError, QueryErrors
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.bind.inference import schema_mentioned_by
from cep_core.language.patterns.explain.explaining import explain_query
from cep_core.language.patterns.facts.atoms import atoms_of
from cep_core.language.patterns.syntax import WrittenQuery
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.text.printing import print_query
from tests.language.strategies import ATTRIBUTES, TYPES, queries

_TYPES = dict(zip(ATTRIBUTES, [*AttributeType, AttributeType.FLOAT], strict=True))
LOG = LogSchema({name: {a: Attribute(a, kind) for a, kind in _TYPES.items()} for name in TYPES[:3]}, unit="ms")

WORDS = [
    "PATTERN", "WHERE", "WITHIN", "SEQ", "(", ")", "[", "]", "{", "}", ",", ";", "+", "*", "?", ".", "-", ">", "AND",
    "OR", "NOT", "A", "B", "a", "b", "i", "x", "1", "5", "s",
]  # fmt: skip

TEXTS = {
    "q.cep": "PATTERN SEQ(A a, B+ b[])\nWHERE a.x > 3 AND b[i].s = 'one'\nWITHIN 5",
    "p.mfotl": '-- for each: x\nP(x, "one") AND NOT\nONCE[0,5] Q(x)',
    "p.mtl": "-- for each: x\nlate IMPLIES\nEVENTUALLY[0,3h] ok",
}
BREAKS = "\x00\x0b\x0c\r\x1b\x1c\x1d\x1e\x85\u2028\u2029\ufeff"
"""Characters that end a line to somebody, move a terminal's cursor, or cannot be seen."""

Outcome = TypeVar("Outcome")


def _or_refusal(call: Callable[[], Outcome]) -> Outcome | QueryError:
    """What the call gives, or the error of the language that it raises; any other error fails the test."""
    try:
        return call()
    except QueryError as error:
        return error


@given(queries(), st.booleans())
def test_a_written_query_binds_or_is_refused(query: WrittenQuery, whole_log: bool) -> None:
    """Sense or nonsense: a bound query that can be explained and sliced, or errors that stand in the text."""
    text = print_query(query)
    for schema in (LOG, schema_mentioned_by(query)):
        outcome = _or_refusal(partial(bind, text, schema, "q.cep", whole_log=whole_log))
        if isinstance(outcome, QueryError):
            for error in outcome.errors if isinstance(outcome, QueryErrors) else (outcome,):
                assert 1 <= error.line <= len(text.splitlines())
                assert error.message
        else:
            assert atoms_of(outcome)
            assert json.dumps(explain_query(outcome, ()).to_dict())


@given(st.text(max_size=40))
def test_any_text_parses_or_is_refused(text: str) -> None:
    """No text crashes the parser, nor the printing of its error."""
    assert str(_or_refusal(partial(parse, text)))


@given(st.lists(st.sampled_from(WORDS)))
def test_any_row_of_words_parses_or_is_refused(words: list[str]) -> None:
    """Nor does any row of the language's own words."""
    query = _or_refusal(partial(parse, " ".join(words)))
    if isinstance(query, WrittenQuery):
        assert parse(print_query(query)) == query
    assert str(query)


@pytest.mark.parametrize(
    "condition", ["+".join(["a.x"] * 3000) + " > 1", "NOT " * 3000 + "a.x > 1", "(" * 3000 + "a.x > 1" + ")" * 3000]
)
def test_what_is_nested_too_deeply_is_refused(condition: str) -> None:
    """Whether the parser's own tree or ours is too deep."""
    with pytest.raises(QueryError, match="nested too deeply"):
        bind(f"PATTERN A a WHERE {condition} WITHIN 5", LOG)


@pytest.mark.parametrize("path", TEXTS)
@given(data=st.data())
def test_a_character_that_cannot_be_seen_is_told_with_its_place(path: str, data: st.DataObject) -> None:
    """Anywhere in a text, also within a word or a literal: a refusal points at its line, in three lines at most."""
    text = TEXTS[path]
    place = data.draw(st.integers(0, len(text)))
    text = text[:place] + data.draw(st.text(BREAKS, min_size=1, max_size=3)) + text[place:]
    error = _or_refusal(partial(parse_text, text, path))
    if isinstance(error, QueryError):
        lines = str(error).split("\n")
        assert len(lines) in (1, 3)
        assert all(line.isprintable() for line in lines)
        assert lines[0].startswith(f"{path}:{error.line}:{error.column}: ")
        assert 1 <= error.line <= text.count("\n") + 1
        pointed = "".join(c if c.isprintable() else " " for c in text.split("\n")[error.line - 1]).strip()
        assert len(lines) == 1 or lines[1].strip() == pointed


def test_what_is_shown_of_it_is_its_escape() -> None:
    error = _or_refusal(partial(parse, '"\x1e" SEQ(A a) WITHIN 5'))
    assert "unexpected '\"\\x1e\"'" in str(error)
