"""The attributes that the evaluation of a policy looks at, by event type."""

from __future__ import annotations

from collections.abc import Mapping

from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.temporal.bind.sub_logs import split_types


def reads_of(policy: PropositionalPolicy) -> Mapping[str, tuple[str, ...]]:
    """Attributes by event type, in the schema's order; a type may be read without any.

    `ts` and `seq` are in every event and are left out, unless an event type has an attribute of that name. With `-- for
    each`, every event type with these attributes is read, since its events make points of the sub-logs.
    """
    wanted: dict[str, set[str]] = {}
    for atom in policy.atoms.values():
        wanted.setdefault(atom.event_type, set()).update(atom.attributes)
    for event_type in split_types(policy.for_each, policy.schema):
        wanted.setdefault(event_type, set()).update(policy.for_each)
    return {
        event_type: tuple(name for name in policy.schema.attributes_of(event_type) if name in names)
        for event_type, names in wanted.items()
    }
