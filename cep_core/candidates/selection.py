"""What a query's candidates depend on besides the events: worked out once for each bound query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from cep_core.candidates.kept import Kept
from cep_core.language.patterns.query import KeyClass, Query, Variable
from cep_core.language.patterns.text.printing import print_expression
from cep_core.language.patterns.tree import Expression, Reference
from cep_core.language.patterns.walk import rewrite

Signature = tuple[tuple[str, ...], ...]
"""For each key class, the attributes of a variable that belong to it."""


@dataclass(frozen=True)
class VariableRole:
    """What an event must be so that it may be bound to some of a query's variables."""

    event_type: str
    tests: tuple[Expression, ...]
    """The vertex predicates."""
    judged: tuple[str, ...]
    """Attributes that must not be NULL: those of a negated event in equivalences that do not partition. With NULL it is
    in no match's partition."""
    key: tuple[str, ...]
    """Equal for roles that the same events have."""

    @property
    def is_type_alone(self) -> bool:
        """Whether an event of the type needs nothing else."""
        return not self.tests and not self.judged


@dataclass(frozen=True)
class Selection:
    """The roles of a query's variables, and how its equivalences partition."""

    roles: tuple[VariableRole, ...]
    """Each role once."""
    bits: Mapping[str, int]
    """The number of each variable's role."""
    classes: tuple[KeyClass, ...]
    """The key classes that partition."""
    signatures: Mapping[Signature, tuple[str, ...]]
    """The variables by the attributes that they bind to the classes."""
    positive: tuple[str, ...]
    """The variables that a match binds."""

    @cached_property
    def attributes(self) -> tuple[str, ...] | None:
        """For each class, the one attribute by which every variable's events belong to it; None if that is not so."""
        (signature, *others) = self.signatures
        if others or not signature or not all(len(names) == 1 for names in signature):
            return None
        return tuple(name for (name,) in signature)


_SELECTIONS: Kept[Selection] = Kept()


def selection_of(query: Query) -> Selection:
    """The selection of a bound query, made once."""
    return _SELECTIONS.of(query, _made)


def _made(query: Query) -> Selection:
    roles: dict[tuple[str, ...], VariableRole] = {}
    keys = {}
    for variable in query.variables:
        tests = tuple(p.expression for p in query.vertex_predicates if p.variable == variable.name)
        judged = tuple(_judged_keys(query, variable)) if variable.negated else ()
        texts = [print_expression(rewrite(test, _nameless)) for test in tests]
        key = (variable.event_type, *texts, *(f"{attribute} IS NOT NULL" for attribute in judged))
        roles.setdefault(key, VariableRole(variable.event_type, tests, judged, key))
        keys[variable.name] = key
    classes = tuple(key for key in query.key_classes if key.slices)
    signatures: dict[Signature, tuple[str, ...]] = {}
    for variable in query.variables:
        signature = tuple(tuple(a for name, a in key.members if name == variable.name) for key in classes)
        signatures[signature] = (*signatures.get(signature, ()), variable.name)
    numbers = {key: number for number, key in enumerate(roles)}
    bits = {name: numbers[key] for name, key in keys.items()}
    positive = tuple(variable.name for variable in query.positive)
    return Selection(tuple(roles.values()), bits, classes, signatures, positive)


def _nameless(part: Expression) -> Expression:
    return replace(part, variable="_") if isinstance(part, Reference) else part


def _judged_keys(query: Query, variable: Variable) -> list[str]:
    """The variable's attributes in equivalences that are not used for partitioning."""
    members = [member for key in query.key_classes if not key.slices for member in key.members]
    return [attribute for name, attribute in members if name == variable.name]
