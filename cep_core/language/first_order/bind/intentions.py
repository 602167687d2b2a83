"""What the first lines of a policy say: `-- policy: must hold` and `-- for each: x, y`.

What must hold is negated, so that the result is its violations: outer ALWAYS[0,*) and FORALL are stripped first, since
the violations of every point and every value are asked for anyway. `for each` names attributes; each event type that
has them all is split by them, and events of other types are in no sub-log.
"""

from __future__ import annotations

import re

from cep_core.events.schema import LogSchema
from cep_core.language.errors import Position
from cep_core.language.first_order.bind.declarations import BUILT_IN
from cep_core.language.hints import did_you_mean
from cep_core.language.temporal.bind.reporting import Report
from cep_core.language.temporal.formulas import Always, Forall, Formula, Let, Not, Predicate
from cep_core.language.temporal.interval import ANY_TIME
from cep_core.language.temporal.walk import walk


def violation_of(formula: Formula, head: Position) -> Formula:
    """The negation of what must hold. `formula`: as parsed, so that an interval without units is as written.

    >>> from cep_core.language.temporal.terms import Variable
    >>> p = Predicate("P", (Variable("x"),))
    >>> violation_of(Always(ANY_TIME, Forall(("x",), p)), Position(1, 1))
    Not(body=Predicate(event_type='P', arguments=(Variable(name='x'),), names=None))
    """
    while True:
        match formula:
            case Forall():
                formula = formula.body
            case Always() if _is_any_time(formula):
                formula = formula.body
            case Not():
                return formula.body
            case _:
                return Not(formula, head)


def _is_any_time(formula: Always) -> bool:
    interval = formula.interval
    return interval.low == ANY_TIME.low and interval.high is None and not interval.low_open


def check_for_each(for_each: tuple[str, ...], formula: Formula, schema: LogSchema, text: str, report: Report) -> None:
    """Report attributes that no event type has, and atoms of a resolved formula whose types lack one."""
    at = place_of_for_each(text)
    for attribute in for_each:
        owners = [name for name in schema.types if attribute in schema.attributes_of(name)]
        if not owners and attribute not in schema.columns:
            known = {name for event_type in schema.types for name in schema.attributes_of(event_type)}
            report(f"no event type has the attribute '{attribute}'", at, did_you_mean(attribute, known))
            return
    definitions = {part.name for part in walk(formula) if isinstance(part, Let)}
    for part in walk(formula):
        if not isinstance(part, Predicate) or part.event_type in definitions or part.event_type in BUILT_IN:
            continue
        lacking = [name for name in for_each if name not in schema.attributes_of(part.event_type)]
        if lacking:
            message = f"{part.event_type} lacks '{lacking[0]}', so no sub-log has its events"
            report(message, part.at, "-- for each: names attributes that every event type of the formula has")


def place_of_for_each(text: str) -> Position:
    """The place of the line `-- for each: ...`; the beginning of the text if there is none.

    >>> place_of_for_each("-- for each: tail\\nP(x)")
    Position(line=1, column=1, length=17)
    """
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*--\s*for\s+each\s*:", line, re.IGNORECASE):
            begin = len(line) - len(line.lstrip())
            return Position(number, begin + 1, len(line.strip()))
    return Position(1, 1)
