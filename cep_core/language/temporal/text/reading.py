"""From a policy's text to its tree as written, by the grammar of its language.

Linear in the text. Faults of syntax come first, then all intervals.
"""

from __future__ import annotations

from lark import Lark, UnexpectedInput
from lark.exceptions import VisitError

from cep_core.language.errors import QueryError, QueryErrors
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.language.temporal.text.heading import heading_of
from cep_core.language.temporal.text.interval_rules import IntervalRules
from cep_core.language.temporal.text.syntax_errors import explained
from cep_core.language.temporal.text.words import Vocabulary
from cep_core.language.temporal.text.written import WrittenPolicy
from cep_core.language.temporal.walk import operands, terms_of

DEEPEST = 250
"""How deep a formula may be nested, so that functions over trees may be recursive. A chain of n ANDs has depth n."""


def read_policy(text: str, path: str, grammar: Lark, builder: IntervalRules, vocabulary: Vocabulary) -> WrittenPolicy:
    """The tree of a whole policy. Raises QueryError at the first word that does not fit; `IntervalError`s thereafter.

    `builder` makes the formula of what the grammar parses.
    """
    try:
        formula: Formula = builder.transform(grammar.parse(text))
    except VisitError as error:
        if isinstance(error.orig_exc, QueryError):
            raise error.orig_exc from None
        raise
    except UnexpectedInput as error:
        raise explained(error, text, path, vocabulary) from None
    _check_depth(formula, text, path)
    heading = heading_of(text, formula.at.line, path)
    if faults := builder.interval_errors:
        raise faults[0] if len(faults) == 1 else QueryErrors(faults)
    return WrittenPolicy(formula, formula.at, heading.must_hold, heading.for_each)


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
