"""Whatever is written, the answer is a query or an error of the language."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

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

Found = TypeVar("Found")


def _or_refusal(call: Callable[[], Found]) -> Found | QueryError:
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
