"""The attributes that the evaluation of a policy looks at, by event type.

Positional arguments, definitions and `-- for each` name no attributes in the text, so no other way finds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.first_order.policy import Policy
from cep_core.language.temporal.bind.sub_logs import split_types
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.walk import walk


def reads_of(policy: Policy) -> Mapping[str, tuple[str, ...]]:
    """Attributes by event type, in the schema's order; a type may be read without any.

    `ts` and `seq` are in every event and are left out, unless an event type has an attribute of that name. With `-- for
    each`, every event type with these attributes is read, since its events make points of the sub-logs.
    """
    wanted: dict[str, set[str]] = {}
    for atom in atoms_looked_at(policy):
        wanted.setdefault(atom.event_type, set()).update(atom.names or ())
    for event_type in split_types(policy.for_each, policy.schema):
        wanted.setdefault(event_type, set()).update(policy.for_each)
    return {
        event_type: tuple(name for name in policy.schema.attributes_of(event_type) if name in names)
        for event_type, names in wanted.items()
    }


def atoms_looked_at(policy: Policy) -> Iterator[Predicate]:
    """The atoms that are evaluated, and those of the formula as written, by which causes are told."""
    for formula in (policy.core, policy.unfolded, *([] if policy.condition is None else [policy.condition])):
        for part in walk(formula):
            if isinstance(part, Predicate) and not is_built_in(part):
                yield part
