"""From the text of a first-order policy to its tree as written (grammar in `grammar.lark`).

An LALR(1) parser: linear in the text. Each process reads the grammar once. Faults are found in MonPoly's order: syntax,
then all intervals; names, types and safety are for `bind` and `safety`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lark import Lark

from cep_core.language.first_order.text.building import FormulaBuilder
from cep_core.language.first_order.text.words import AGGREGATIONS, FUNCTIONS, KEYWORDS, VOCABULARY
from cep_core.language.grammar import parser_of
from cep_core.language.temporal.text.reading import read_policy
from cep_core.language.temporal.text.words import BINARY, UNARY
from cep_core.language.temporal.text.written import WrittenPolicy


def parse(text: str, path: str = "<policy>") -> WrittenPolicy:
    """The tree of a whole policy. Raises QueryError at the first word that does not fit; `IntervalError`s thereafter.

    >>> parse("-- policy: must hold\\nP(x) AND NOT ONCE[0,5] Q(x)").formula.right.body.interval
    Interval(low=0, high=5, low_unit='', high_unit='', low_open=False, high_open=False)
    """
    return read_policy(text, path, _grammar(), FormulaBuilder(text, path), VOCABULARY)


@cache
def _grammar() -> Lark:
    path = Path(__file__).with_name("grammar.lark")
    text = path.read_text(encoding="utf-8")
    words = {"UNARY_WORDS": UNARY, "BINARY_WORDS": BINARY, "AGGREGATION_WORDS": AGGREGATIONS}
    for place, keywords in {**words, "FUNCTION_WORDS": FUNCTIONS, "KEYWORDS": KEYWORDS}.items():
        text = text.replace(f"({place})", f"({'|'.join(sorted(keywords, key=len, reverse=True))})")
    return parser_of(text, path)
