"""What a workload refuses, since its runs see a part of the log and its results are tables (`docs/semantics.md` 2).

Refused are `tp` and `tpts`, which count from where the log starts; NEXT without an upper bound, which no run can
decide; free variables that no column of the result's tables can be called; and variables called null, true or false.
Linear in the formula.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cep_core.language.errors import Position
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.temporal.bind.reporting import Report
from cep_core.language.temporal.bind.result_names import RESERVED
from cep_core.language.temporal.formulas import Formula, Next, Predicate
from cep_core.language.temporal.terms import Variable
from cep_core.language.temporal.walk import free_variables, terms_of, walk

_VALUES = {
    "null": "a null matches no argument; an argument that is left out is not looked at, null or not",
    "true": "a bool is an integer: 1",
    "false": "a bool is an integer: 0",
}
"""Names that an author means as values, with what to write."""
_COLUMN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def check_workload(formula: Formula, for_each: Sequence[str], report: Report) -> None:
    """Report what a workload's policy must not say. `formula`: resolved, LET kept."""
    for part in walk(formula):
        if isinstance(part, Predicate) and is_built_in(part) and "tp" in (part.names or ()):
            message = f"'{part.event_type}' depends on where the log starts"
            report(message, part.at, "use ts; the result has the columns ts and offset")
        elif isinstance(part, Next) and not part.interval.is_bounded:
            message = "NEXT without an upper bound waits for a point that may never come"
            report(message, part.at, "give it a bound: NEXT[0,1d]")
        for term in terms_of(part):
            if isinstance(term, Variable) and term.name.casefold() in _VALUES:
                report(f"'{term.name}' would be a variable", term.at, _VALUES[term.name.casefold()])
    _check_columns(formula, for_each, report)


def _check_columns(formula: Formula, for_each: Sequence[str], report: Report) -> None:
    taken: dict[str, str] = {name.casefold(): name for name in for_each}
    for name in free_variables(formula):
        at = place_of_variable(name, formula)
        if name.casefold() in RESERVED:
            report(f"every result has a column '{name.casefold()}'", at, "name the variable otherwise")
        elif not _COLUMN.fullmatch(name):
            message = f"no column can be called '{name}'"
            report(message, at, "begin with a letter, and use letters, digits and _ only")
        elif name.casefold() in taken:
            report(f"two columns named '{taken[name.casefold()]}' and '{name}'", at, "name the variable otherwise")
        taken[name.casefold()] = name


def place_of_variable(name: str, formula: Formula) -> Position:
    """The first place of a variable as an argument, else the place of the formula."""
    for part in walk(formula):
        for term in terms_of(part):
            if isinstance(term, Variable) and term.name == name:
                return term.at
    return formula.at
