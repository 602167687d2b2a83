"""From the text of a propositional policy to its tree as written (grammar in `grammar.lark`).

An LALR(1) parser: linear in the text. Each process reads the grammar once. Faults of syntax come first, then all
intervals; names are for `bind`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from lark import Lark

from cep_core.language.grammar import parser_of
from cep_core.language.propositional.text.building import PropositionBuilder
from cep_core.language.propositional.text.words import (
    BINARY_SYMBOLS,
    CONNECTIVE_SYMBOLS,
    KEYWORDS,
    NEGATIONS,
    TRUTHS,
    UNARY_SYMBOLS,
    VOCABULARY,
)
from cep_core.language.temporal.text.reading import read_policy
from cep_core.language.temporal.text.words import BINARY, CONNECTIVES, UNARY
from cep_core.language.temporal.text.written import WrittenPolicy


def parse(text: str, path: str = "<policy>") -> WrittenPolicy:
    """The tree of a whole policy, which says what must hold. Raises QueryError, `IntervalError`s for wrong intervals.

    >>> words, symbols = parse("late IMPLIES EVENTUALLY[0,3h] ok"), parse("late -> ◇[0,3h] ok")
    >>> words.formula == symbols.formula, words.formula.right.interval.high_unit
    (True, 'h')
    """
    written = read_policy(text, path, _grammar(), PropositionBuilder(text, path), VOCABULARY)
    return replace(written, must_hold=True)


@cache
def _grammar() -> Lark:
    path = Path(__file__).with_name("grammar.lark")
    text = path.read_text(encoding="utf-8")
    connectives = {**CONNECTIVES, **CONNECTIVE_SYMBOLS}
    words: dict[str, Iterable[str]] = {
        "UNARY": [*UNARY, *UNARY_SYMBOLS],
        "BINARY": [*BINARY, *BINARY_SYMBOLS],
        "NOT": NEGATIONS,
        "TRUE": [word for word, value in TRUTHS.items() if value],
        "FALSE": [word for word, value in TRUTHS.items() if not value],
    }
    for name, kind in CONNECTIVES.items():
        words[name] = [word for word, connective in connectives.items() if connective is kind]
    for name, alternatives in words.items():
        text = text.replace(f"({name}_WORDS)", f"({_alternatives(alternatives)})")
    keywords = "|".join(sorted(KEYWORDS, key=len, reverse=True))
    return parser_of(text.replace("(KEYWORDS)", f"({keywords})"), path)


def _alternatives(words: Iterable[str]) -> str:
    """A regular expression of words and symbols, the longest first. A word ends where no name can go on."""
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(rf"{word}(?!\w)" if word.isascii() and word.isalpha() else _symbol(word) for word in longest_first)


def _symbol(symbol: str) -> str:
    """`|` is no part of a regular operator, `|>`."""
    return re.escape(symbol).replace("/", r"\/") + ("(?!>)" if symbol == "|" else "")
