"""From the text of a pattern query to its tree as written (`docs/language.md` 1; grammar in `grammar.lark`).

An LALR(1) parser: linear in the text. Each process reads the grammar once. It keeps the last trees, which never change:
slices, days and reports ask for the same text again and again.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from lark import Lark, UnexpectedInput
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError
from lark.lexer import PatternStr

from cep_core.aggregates.registry import AGGREGATES
from cep_core.language.errors import Position, QueryError, lines_of
from cep_core.language.grammar import parser_of
from cep_core.language.patterns.syntax import WrittenQuery
from cep_core.language.patterns.text.building import TreeBuilder
from cep_core.language.patterns.tree import Expression, Pattern

_CLAUSES = ("RETURN", "PATTERN", "WHERE", "GROUP-BY", "WITHIN", "SLIDE", "CONFIDENCE")

_SPOKEN = {
    "NAME": "a name",
    "FIELD": "an attribute",
    "NUMBER": "a number",
    "LEAST": "a number",
    "STRING": "a string",
    "FUNCTION": "an aggregate",
    "STRATEGY": "a strategy",
    "UNIT": "a unit",
    "COMPARISON": "a comparison",
    "$END": "the end",
    "_GROUP_BY": "GROUP-BY",
    "_WITH_CONFIDENCE": "WITH CONFIDENCE",
}


def parse(text: str, path: str = "<query>") -> WrittenQuery:
    """The tree of a whole query. Raises QueryError with the place of the first word that does not fit.

    >>> parse("PATTERN SEQ(A a, B+ b[]) WITHIN 10").pattern.elements[0]
    Unit(event_type='A', variable='a', at=Position(line=1, column=13, length=3))
    """
    query: WrittenQuery = _parse(text, "query", path)
    return query


def parse_pattern(text: str, path: str = "<pattern>") -> Pattern:
    """The tree of a pattern alone.

    >>> parse_pattern("A+").most is None
    True
    """
    pattern: Pattern = _parse(text, "pattern", path)
    return pattern


def parse_condition(text: str, path: str = "<condition>") -> Expression:
    """The tree of a condition alone.

    >>> parse_condition("S.price > NEXT(S).price").operator
    '>'
    """
    condition: Expression = _parse(text, "condition", path)
    return condition


@cache
def _grammar() -> Lark:
    aggregates = "|".join(aggregate.name for aggregate in AGGREGATES)
    path = Path(__file__).with_name("grammar.lark")
    text = path.read_text(encoding="utf-8").replace("AGGREGATES", aggregates)
    return parser_of(text, path, start=["query", "pattern", "condition"])


@lru_cache(maxsize=64)
def _parse(text: str, start: OneOf["query", "pattern", "condition"], path: str) -> Any:
    try:
        return TreeBuilder(text, path).transform(_grammar().parse(text, start=start))
    except VisitError as error:
        if isinstance(error.orig_exc, QueryError):
            raise error.orig_exc from None
        if isinstance(error.orig_exc, RecursionError):
            raise _too_deep(text, path) from None
        raise
    except UnexpectedInput as error:
        raise _explained(error, text, path) from None
    except RecursionError:
        raise _too_deep(text, path) from None


def _too_deep(text: str, path: str) -> QueryError:
    return QueryError("nested too deeply", Position(1, 1), text=text, path=path)


def _explained(error: UnexpectedInput, text: str, path: str) -> QueryError:
    """The parser's error as a QueryError: the word at the error and the words expected, in terms of the language."""
    if isinstance(error, UnexpectedCharacters):
        at = Position(error.line, error.column)
        hint = "is the text closed by the same quote?" if error.char in "'\"" else ""
        return QueryError(f"unexpected character {error.char!r}", at, text=text, path=path, hint=hint)
    misspelt = _misspelt_clause(error, text)
    if misspelt is not None:
        word, at, hint = misspelt
        return QueryError(f"unexpected '{word}'", at, text=text, path=path, hint=hint)
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        token = error.token
        at = Position(token.line or 1, token.column or 1, len(lines_of(token.value)[0]))
        message = f"unexpected '{token.value}'"
    else:
        lines = lines_of(text.rstrip())
        at = Position(len(lines), len(lines[-1]) + 1)
        message = "the query ends too early"
    accepted = set(error.accepts or ()) if isinstance(error, UnexpectedToken) else set()
    expected = sorted({_spoken(name) for name in accepted})
    hint = ""
    if 0 < len(expected) <= 8:
        message += ", expected " + (" or ".join(expected) if len(expected) < 3 else "one of " + ", ".join(expected))
    elif "UNIT" in accepted:
        hint = "units are ms, s, minutes, hours, days, EVENTS"
    elif "_COMMA" in accepted and isinstance(error, UnexpectedToken) and error.token.type == "NAME":
        hint = "is a ',' missing before it? A type with blanks in its name has underscores: SET_PIECE for 'SET PIECE'"
    return QueryError(message, at, text=text, path=path, hint=hint)


def _misspelt_clause(error: UnexpectedInput, text: str) -> tuple[str, Position, str] | None:
    """The word at the error or just before it, if it is nearly a clause: `A WITHN 5` reads as a variable first."""
    place = error.pos_in_stream if error.pos_in_stream is not None else len(text)
    words = [word for word in re.finditer(r"[^\W\d]\w*", text) if word.start() <= place]
    for word in reversed(words[-2:]):
        nearest = get_close_matches(word[0].upper(), _CLAUSES, n=1, cutoff=0.75)
        if nearest and word[0].upper() != nearest[0]:
            line = text.count("\n", 0, word.start()) + 1
            column = word.start() - (text.rfind("\n", 0, word.start()) + 1) + 1
            return word[0], Position(line, column, len(word[0])), f"did you mean '{nearest[0]}'?"
    return None


def _spoken(terminal: str) -> str:
    """The name of a terminal in terms of the language."""
    if terminal in _SPOKEN:
        return _SPOKEN[terminal]
    pattern = _grammar().get_terminal(terminal).pattern
    return f"'{pattern.value}'" if isinstance(pattern, PatternStr) else terminal.strip("_").replace("_", " ")
