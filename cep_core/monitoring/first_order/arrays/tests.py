"""Conditions on the rows of a relation, and columns that equalities and MATCHES add to it.

`filtered` keeps the rows that pass a test, `assigned` adds `x = term`, `matched` adds the groups of MATCHES that are
new variables. All keep the runs, so a relation in normal form stays in normal form. Numbers are in one total order in
which NaN equals itself and is above all others, and -0.0 equals 0.0, so NOT x < y and x >= y are the same. Texts
are compared by their characters. Cost: O(rows); `<` and its kin on texts sort the distinct ones; SUBSTRING and MATCHES
take one Python step for each distinct pair of operands.
"""

from __future__ import annotations

import re

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.regexps import regular_expression
from cep_core.language.temporal.formulas import Comparison, Formula, Matches, Not, Truth
from cep_core.language.temporal.terms import Term, Variable
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.arrays.setting import TermSetting, in_order
from cep_core.monitoring.first_order.arrays.values import type_of, values_of
from cep_core.numbers.groups import group_rows

_COMPARED: dict[str, np.ufunc] = {
    "=": np.equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def filtered(relation: Relation, test: Formula, setting: TermSetting) -> Relation:
    """The rows that pass a test, whose variables are columns. Raises EvaluationError where a term has no value."""
    return relation.of_rows(holds(relation, test, setting))


def assigned(relation: Relation, variable: str, term: Term, setting: TermSetting) -> Relation:
    """The relation with a new column: the values of a term whose variables are columns. Raises EvaluationError."""
    column = values_of(term, relation, setting)
    return Relation((*relation.variables, variable), (*relation.columns, column), relation.begin, relation.end)


def holds(relation: Relation, test: Formula, setting: TermSetting) -> Flags:
    """Whether each row passes a test."""
    match test:
        case Truth():
            return np.full(relation.rows, test.value)
        case Not():
            return ~holds(relation, test.body, setting)
        case Comparison():
            return _compared(relation, test, setting)
        case Matches():
            return matched(relation, test, setting)[1]
        case _:
            raise TypeError(f"{type(test).__name__} is no test of single rows")


def matched(relation: Relation, test: Matches, setting: TermSetting) -> tuple[Relation, Flags]:
    """The rows that match, with a column for each group that is a new variable, and whether each row matches.

    A group that is asked for must take part in the match, unless it is asked for by `_`.
    """
    text, regexp = values_of(test.text, relation, setting), values_of(test.regexp, relation, setting)
    pair, samples = group_rows([text.astype(np.int64), regexp.astype(np.int64)])
    wanted = [number for number, group in enumerate(test.groups, 1) if group is not None]
    captured: list[str] = []
    matching = np.zeros(len(samples), np.bool_)
    compiled: dict[int, re.Pattern[str]] = {}
    for number, row in enumerate(samples.tolist()):
        code = int(regexp[row])
        if code not in compiled:
            compiled[code] = _regular_expression(test, relation, row, code, setting)
        match = compiled[code].search(setting.texts.text(int(text[row])))
        groups = [match[group] for group in wanted] if match else [None]
        matching[number] = match is not None and None not in groups
        if matching[number]:
            captured += (group for group in groups if group is not None)
    codes = np.zeros((len(wanted), len(samples)), np.int64)
    codes[:, matching] = setting.texts.codes(captured).reshape(int(matching.sum()), len(wanted)).T
    flags: Flags = matching[pair]
    columns: dict[str, Ints] = {}
    for place, number in enumerate(wanted):
        term, group = test.groups[number - 1], codes[place][pair]
        if isinstance(term, Variable) and term.name not in relation.variables:
            flags &= columns.setdefault(term.name, group) == group
        elif term is not None:
            flags &= values_of(term, relation, setting) == group
    names, added = tuple(columns), tuple(columns.values())
    wider = Relation((*relation.variables, *names), (*relation.columns, *added), relation.begin, relation.end)
    return wider.of_rows(flags), flags


def _regular_expression(
    test: Matches, relation: Relation, row: int, code: int, setting: TermSetting
) -> re.Pattern[str]:
    pattern = setting.texts.text(code)
    try:
        expression = regular_expression(pattern)
    except ValueError as error:
        raise setting.error(f'"{pattern}" is no regular expression: {error}', test.at, relation, row) from None
    wanted = max((number for number, group in enumerate(test.groups, 1) if group is not None), default=0)
    if wanted > expression.groups:
        problem = f'group {wanted} is asked for, but "{pattern}" has {expression.groups}'
        raise setting.error(problem, test.at, relation, row)
    return expression


def _compared(relation: Relation, test: Comparison, setting: TermSetting) -> Flags:
    left, right = values_of(test.left, relation, setting), values_of(test.right, relation, setting)
    if test.operator == "SUBSTRING":
        pair, samples = group_rows([left.astype(np.int64), right.astype(np.int64)])
        text = setting.texts.text
        flags = np.array([text(int(left[row])) in text(int(right[row])) for row in samples.tolist()], np.bool_)
        return flags[pair]
    if type_of(test.left, setting.types) is AttributeType.STRING:
        if test.operator != "=":
            ranks = setting.ordered(np.concatenate([left, right]), AttributeType.STRING)
            left, right = ranks[: relation.rows], ranks[relation.rows :]
    elif np.isnan(left).any() or np.isnan(right).any():
        left, right = in_order(left), in_order(right)
    result: Flags = _COMPARED[test.operator](left, right)
    return result
