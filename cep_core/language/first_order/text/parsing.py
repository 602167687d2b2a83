"""From the text of a first-order policy to its tree as written (grammar in `grammar.lark`).

An LALR(1) parser: linear in the text. Each process reads the grammar once. Faults are found in MonPoly's order: syntax,
then all intervals; names, types and safety are for `bind` and `safety`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lark import Lark, UnexpectedInput
from lark.exceptions import VisitError

from cep_core.language.errors import QueryError, QueryErrors
from cep_core.language.first_order.text.building import FormulaBuilder
from cep_core.language.first_order.text.words import AGGREGATIONS, FUNCTIONS, KEYWORDS, VOCABULARY
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.language.temporal.text.heading import heading_of
from cep_core.language.temporal.text.syntax_errors import explained
from cep_core.language.temporal.text.words import BINARY, UNARY
from cep_core.language.temporal.text.written import WrittenPolicy
from cep_core.language.temporal.walk import operands, terms_of

DEEPEST = 250
"""How deep a formula may be nested, so that functions over trees may be recursive. A chain of n ANDs has depth n."""


def parse(text: str, path: str = "<policy>") -> WrittenPolicy:
    """The tree of a whole policy. Raises QueryError at the first word that does not fit; `IntervalError`s thereafter.

    >>> parse("-- policy: must hold\\nP(x) AND NOT ONCE[0,5] Q(x)").formula.right.body.interval
    Interval(low=0, high=5, low_unit='', high_unit='', low_open=False, high_open=False)
    """
    try:
        tree = _grammar().parse(text)
        builder = FormulaBuilder(text, path)
        formula = builder.transform(tree)
    except VisitError as error:
        if isinstance(error.orig_exc, QueryError):
            raise error.orig_exc from None
        raise
    except UnexpectedInput as error:
        raise explained(error, text, path, VOCABULARY) from None
    _check_depth(formula, text, path)
    heading = heading_of(text, formula.at.line, path)
    if faults := builder.interval_errors:
        raise faults[0] if len(faults) == 1 else QueryErrors(faults)
    return WrittenPolicy(formula, formula.at, heading.must_hold, heading.for_each)


@cache
def _grammar() -> Lark:
    text = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    words = {"UNARY_WORDS": UNARY, "BINARY_WORDS": BINARY, "AGGREGATION_WORDS": AGGREGATIONS}
    for place, found in {**words, "FUNCTION_WORDS": FUNCTIONS, "KEYWORDS": KEYWORDS}.items():
        text = text.replace(f"({place})", f"({'|'.join(sorted(found, key=len, reverse=True))})")
    return Lark(text, parser="lalr", propagate_positions=True)


def _check_depth(formula: Formula, text: str, path: str) -> None:
    level: list[Formula | Term] = [formula]
    for _ in range(DEEPEST):
        level = [part for node in level for part in _parts(node)]
        if not level:
            return
    raise QueryError("nested too deeply", level[0].at, text=text, path=path, hint=f"at most {DEEPEST} levels")


def _parts(node: Formula | Term) -> tuple[Formula | Term, ...]:
    match node:
        case Arithmetic():
            return (node.left, node.right)
        case Minus():
            return (node.term,)
        case Call():
            return (node.argument,)
        case Variable() | Constant() | Regexp():
            return ()
        case _:
            return (*operands(node), *terms_of(node))
