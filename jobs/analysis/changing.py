"""Functions that give another value each time: no SQL that makes or refuses rows may call them.

The tables of a day are a function of its files: a load that is repeated, or a task that is tried again, must give the
same events. Names are looked for among the words of the text, so that a text which only Spark can read is covered, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import sqlglot
from sqlglot import TokenType
from sqlglot.errors import TokenError

from jobs.analysis.statement import Mistake

DRAWN = dict.fromkeys(
    ("rand", "random", "randn", "randstr", "uniform", "uuid", "shuffle"),
    ("is drawn anew each time", "a hash of columns is drawn once: hash(key, ts) % 100"),
)
CLOCK = dict.fromkeys(
    ("current_timestamp", "current_date", "current_time", "localtimestamp", "now", "curdate"),
    ("is the moment of the load, not of the log", "take the time from a column"),
)
PLACE = dict.fromkeys(
    (
        "monotonically_increasing_id",
        "spark_partition_id",
        "input_file_name",
        "input_file_block_start",
        "input_file_block_length",
    ),
    ("depends on how Spark divides the rows", "the column _row tells rows apart"),
)
HOST = dict.fromkeys(
    ("reflect", "java_method", "try_reflect", "current_user", "session_user", "version"),
    ("asks the program that loads, not the log", "a constant, or a column, is the same for every load"),
)
CHANGING = {**DRAWN, **CLOCK, **PLACE, **HOST}
"""Each function, why it is refused, and what to do instead."""

BARE = ("current_timestamp", "current_date", "current_time", "localtimestamp")
"""Functions that Spark calls without brackets, unless a column has the name."""

NOW = ("unix_timestamp", "to_unix_timestamp")
"""Functions that tell the moment if they are called without arguments."""


def changing_mistakes(text: str, columns: Collection[str]) -> Iterator[Mistake]:
    """A mistake for each call of such a function, and for each sample. `columns`: names that tables have, in lower
    case."""
    try:
        tokens = sqlglot.tokenize(text, dialect="spark")
    except TokenError:  # a syntax error is told by the parser
        return
    for place, token in enumerate(tokens):
        if token.token_type is TokenType.STRING or (place and tokens[place - 1].token_type is TokenType.DOT):
            continue
        after = [next_token.token_type for next_token in tokens[place + 1 : place + 3]]
        name = token.text.lower()
        is_called = after[:1] == [TokenType.L_PAREN]
        if name in NOW and after == [TokenType.L_PAREN, TokenType.R_PAREN]:
            yield _mistake(token.start, token.text, *CLOCK["now"])
        elif token.token_type is TokenType.TABLE_SAMPLE:
            yield _mistake(token.start, token.text, *DRAWN["rand"])
        elif name in CHANGING and (is_called or (name in BARE and _is_value(name, tokens, place, columns))):
            yield _mistake(token.start, token.text, *CHANGING[name])


def _is_value(name: str, tokens: list[sqlglot.Token], place: int, columns: Collection[str]) -> bool:
    """Whether a bare name is the function: neither a column nor the name that a column gets."""
    return name not in columns and not (place and tokens[place - 1].token_type is TokenType.ALIAS)


def _mistake(start: int, text: str, why: str, hint: str) -> Mistake:
    return Mistake(start, len(text), f"{text} {why}, so the same files would give other events", hint)
