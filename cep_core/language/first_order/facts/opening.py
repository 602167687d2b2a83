"""A policy without its outermost EXISTS: the slicer may then use the variables that EXISTS hides (paper 01, section 6).

`EXISTS y. P(x, y) AND Q(y)` is cut by x and y if P(x, y) AND Q(y) is evaluated, and y projected away afterwards. A
closed policy may also be negated, as DejaVu's properties are: `NOT EXISTS x. P(x)` holds at the points where no slice
finds an x. Sub-logs have their own points, so a policy with `-- for each` stays as it is. Cost: binding once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from cep_core.events.schema import AttributeType
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.rewriting.core import core_of
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.temporal.formulas import Exists, Forall, Formula, Not
from cep_core.language.temporal.walk import free_variables


@dataclass(frozen=True)
class OpenPolicy:
    """`policy`: with the open formula; its variables are those of the closed one, then the `hidden` ones.

    `negated`: a point violates the closed policy if no valuation of the open one holds there. Else a violation has
    witnesses, values of the hidden variables. `path`: formulas, and whether they hold, from the policy as written to
    what a witness makes so.
    """

    policy: Policy
    hidden: tuple[str, ...]
    negated: bool
    path: tuple[tuple[Formula, bool], ...]


def open_policy(policy: Policy) -> OpenPolicy | None:
    """A policy before its outermost EXISTS projects; None if there is none, or if what is left is not safe."""
    if policy.for_each:
        return None
    body, hidden, negated = _stripped(policy.plain)
    if not hidden:
        return None
    core = core_of(body)
    types = _types(policy, core)
    if types is None or not is_safe(core) or not set(hidden) <= set(free_variables(core)):
        return None
    variables = {**policy.variables, **{name: types[name] for name in hidden}}
    opened = replace(policy, plain=body, core=core, variables=variables, types=types)
    return OpenPolicy(opened, hidden, negated, tuple(_path(policy.unfolded)))


def _stripped(formula: Formula) -> tuple[Formula, tuple[str, ...], bool]:
    """The formula below the outermost EXISTS, the variables of these, and whether a NOT stands before them."""
    hidden: tuple[str, ...] = ()
    negated = False
    while True:
        match formula:
            case Not(body=Not(body=body)):
                formula = body
            case Exists(variables=variables, body=body):
                formula, hidden = body, (*hidden, *variables)
            case Not(body=Exists() as body) if not hidden and not negated and not free_variables(body):
                formula, negated = body, True
            case _:
                return formula, hidden, negated


def _path(formula: Formula) -> Iterator[tuple[Formula, bool]]:
    """What holds, or does not hold, one after the other, because a witness makes the last one so."""
    holds = True
    while True:
        yield formula, holds
        match formula:
            case Not(body=body):
                formula, holds = body, not holds
            case Exists(body=body) if holds:
                formula = body
            case Forall(body=body) if not holds:
                formula = body
            case _:
                return


def _types(policy: Policy, core: Formula) -> Mapping[str, AttributeType] | None:
    """The types of the variables of the open formula; None if one was lost where the closed one was rewritten."""
    from cep_core.language.first_order.bind.binding import variables_in

    types = {**policy.types, **policy.variables}
    names = variables_in(core)
    return {name: types[name] for name in names} if set(names) <= types.keys() else None
