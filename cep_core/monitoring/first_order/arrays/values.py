"""Terms over the columns of a relation: one value for each row.

Values are int64, float64, or the codes of texts; a regular expression is the code of its pattern. Where a term has no
value (an int64 overflows, an integer is divided by zero), it is an `EvaluationError` with the term's place and the
first such row. Cost: O(rows) for each operator, and one Python step for each distinct value that becomes or was a text.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cep_core.arrays import Flags
from cep_core.events.schema import AttributeType
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.monitoring.first_order.arrays.arithmetic import computed, negated
from cep_core.monitoring.first_order.arrays.conversions import converted
from cep_core.monitoring.first_order.arrays.relation import Column, Relation
from cep_core.monitoring.first_order.arrays.setting import TermSetting

INT, FLOAT, STRING = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING

RESULTS = {
    "i2f": FLOAT,
    "s2f": FLOAT,
    "i2s": STRING,
    "f2s": STRING,
    "r2s": STRING,
    "s2r": STRING,
    "FORMAT_DATE": STRING,
}
"""The types of functions; of those that are not here, INT."""


def type_of(term: Term, types: Mapping[str, AttributeType]) -> AttributeType:
    """The type of a term's values; bool attributes are integers.

    >>> type_of(Arithmetic("+", Variable("x"), Constant(1.5)), {"x": FLOAT})
    <AttributeType.FLOAT: 'float'>
    """
    match term:
        case Variable():
            kind = types[term.name]
            return INT if kind is AttributeType.BOOL else kind
        case Constant():
            return STRING if isinstance(term.value, str) else FLOAT if isinstance(term.value, float) else INT
        case Regexp():
            return STRING
        case Arithmetic():
            return type_of(term.left, types)
        case Minus():
            return type_of(term.term, types)
        case Call():
            return RESULTS.get(term.function, INT)


def values_of(term: Term, relation: Relation, setting: TermSetting) -> Column:
    """The value of a term in each row. Its variables are columns of the relation. Raises EvaluationError."""
    match term:
        case Variable():
            return relation.column(term.name)
        case Constant() | Regexp():
            value = term.value if isinstance(term, Constant) else term.pattern
            return _repeated(setting.texts.code(value) if isinstance(value, str) else value, relation.rows)
        case Arithmetic():
            left, right = values_of(term.left, relation, setting), values_of(term.right, relation, setting)
            column, lost = computed(term.operator, left, right)
            if lost.any():
                raise _no_value(term, (left, right), lost, relation, setting)
            return column
        case Minus():
            argument = values_of(term.term, relation, setting)
            column, lost = negated(argument)
        case Call():
            argument = values_of(term.argument, relation, setting)
            column, lost = converted(term.function, argument, setting.texts)
    if lost.any():
        raise _no_value(term, (argument,), lost, relation, setting)
    return column


def _repeated(value: int | float, rows: int) -> Column:
    """A column of one value that takes no space."""
    if isinstance(value, float):
        return np.broadcast_to(np.float64(value), rows)
    return np.broadcast_to(np.int64(value), rows)


def _no_value(
    term: Arithmetic | Minus | Call, operands: tuple[Column, ...], lost: Flags, relation: Relation, setting: TermSetting
) -> Exception:
    """The error for the earliest row without a value."""
    rows = np.flatnonzero(lost)
    row = int(rows[relation.begin[rows].argmin()])
    shown = [column[row].item() for column in operands]
    match term:
        case Arithmetic() if term.operator in ("/", "MOD") and shown[1] == 0:
            problem = f"{shown[0]} {term.operator} 0 is a division by zero"
        case Arithmetic():
            problem = f"{shown[0]} {term.operator} {shown[1]} does not fit 64 bits"
        case Minus():
            problem = f"-({shown[0]}) does not fit 64 bits"
        case Call():
            argument = f'"{setting.texts.text(shown[0])}"' if term.function == "s2i" else shown[0]
            missing = (
                "is no date"
                if term.function in ("YEAR", "MONTH", "DAY_OF_MONTH", "FORMAT_DATE")
                else "does not fit 64 bits"
            )
            problem = f"{term.function}({argument}) {missing}"
    return setting.error(problem, term.at, relation, row)
