"""A SELECT or a predicate in Spark's SQL, parsed without Spark.

The quick parser (sqlglot) knows nearly all of Spark's dialect. A text that it cannot read is wrong only if Spark's own
parser refuses it too. A text that only Spark can read is not analysed further: a false alarm is worse than a miss.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import ParseError, TokenError

from jobs.analysis.spark_parser import syntax_error

DEEPEST = 60
"""The most levels of brackets; the parser's time grows steeply with them."""


@dataclass(frozen=True)
class Mistake:
    """What is wrong with a text of SQL, at an offset in it."""

    start: int
    length: int
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Statement:
    """A query, and what is wrong with its text. `query` None: it could not be read."""

    text: str
    query: exp.Query | None = None
    mistakes: tuple[Mistake, ...] = ()


def parse_select(text: str) -> Statement:
    """One SELECT; a comment or a `;` may follow it."""
    if (deep := _too_deep(text)) is not None:
        return Statement(text, None, (deep,))
    parsed, mistake = _parsed(text, predicate=False)
    if mistake is not None:
        return Statement(text, None, (mistake,))
    if not parsed:
        return Statement(text)
    first, *further = parsed
    if further:
        start = _start(further[0], text)
        return Statement(text, None, (Mistake(start, 1, "expected one SELECT, found a second statement"),))
    if isinstance(first, exp.Query):
        unread = "|>" in text or any(clause.args.get("recursive") for clause in first.find_all(exp.With))
        return Statement(text, None if unread else first)
    if isinstance(first, _CHANGES):
        return Statement(text, None, (Mistake(0, 1, "expected one SELECT, found a statement that changes something"),))
    return Statement(text)


def parse_predicate(text: str) -> Statement:
    """A condition over one row, as the only column of a SELECT; positions are those of the condition."""
    if (deep := _too_deep(text)) is not None:
        return Statement(text, None, (deep,))
    parsed, mistake = _parsed(text, predicate=True)
    if mistake is not None:
        return Statement(text, None, (mistake,))
    if len(parsed) != 1 or not isinstance(parsed[0], exp.Select):
        return Statement(text)
    inner = parsed[0].expressions[0] if parsed[0].expressions else None
    if isinstance(inner, exp.Paren) and isinstance(inner.this, exp.Alias):  # read as `condition AS name`
        mistake = _confirmed(text, True, ValueError())
        return Statement(text, None, (mistake,) if mistake else ())
    return Statement(text, parsed[0])


_CHANGES = (exp.Create, exp.Drop, exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Alter, exp.TruncateTable)
_BEFORE = "SELECT\n("
"""Before a condition, so that it is read as one."""


def _parsed(text: str, predicate: bool) -> tuple[list[exp.Expr], Mistake | None]:
    """The statements of a text, none if they cannot be read; and a mistake if Spark cannot read it either."""
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it would report twice what it cannot read
    whole = f"{_BEFORE}{text}\n)" if predicate else text
    try:
        return [expression for expression in sqlglot.parse(whole, dialect="spark") if expression is not None], None
    except (ParseError, TokenError, RecursionError) as error:
        return [], _confirmed(text, predicate, error)
    except Exception:  # noqa: BLE001 a parser that breaks knows nothing: Spark's own decides when the workload runs
        return [], None


def _confirmed(text: str, predicate: bool, error: Exception) -> Mistake | None:
    try:
        refusal = syntax_error(f"({text}\n) IS FALSE" if predicate else text, predicate)
    except (OSError, ImportError):
        return _unconfirmed(text, predicate, error)
    if refusal is None:
        return None
    message, line, column = refusal
    lines = text.split("\n")
    if line > len(lines):  # after a predicate: it ends too early
        return Mistake(len(text.rstrip()), 1, "syntax error at the end of the condition")
    start = sum(len(before) + 1 for before in lines[: line - 1]) + column - 1 - (1 if predicate and line == 1 else 0)
    return Mistake(max(min(start, len(text)), 0), 1, message[:1].lower() + message[1:])


def _unconfirmed(text: str, predicate: bool, error: Exception) -> Mistake:
    details = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    line, column = details.get("line") or 1, details.get("col") or 1
    line -= 1 if predicate else 0
    lines = text.split("\n")[: max(line - 1, 0)]
    start = sum(len(before) + 1 for before in lines) + column - len(details.get("highlight") or " ")
    return Mistake(max(min(start, len(text)), 0), 1, "syntax error, as far as can be told without Java")


def offset_in_condition(start: int) -> int:
    """From an offset in the text that is parsed to the offset in the condition."""
    return start - len(_BEFORE)


def _too_deep(text: str) -> Mistake | None:
    level = 0
    try:
        tokens = sqlglot.tokenize(text, dialect="spark")
    except TokenError:  # the parser meets it as well
        return None
    for token in tokens:
        level += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if level > DEEPEST:
            return Mistake(token.start, 1, f"is nested deeper than {DEEPEST} levels of brackets")
    return None


_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END)


def _start(node: exp.Expr, text: str) -> int:
    """Where the first word of a statement with a position stands; 0 if none has one."""
    starts = [inner.meta["start"] for inner in node.walk() if "start" in inner.meta]
    second = text.find(";") + 1
    return min(starts, default=second) if second <= 0 else second + len(text[second:]) - len(text[second:].lstrip())
