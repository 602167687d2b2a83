"""The atoms of a policy for the slicer: its event types, and the attributes of `-- for each` as slicing variables.

With `-- for each` every event type that has these attributes is one atom, which binds them: all its events make points
of the sub-logs, whatever the formula asks of them. Without it no attribute binds anything: slices are ranges of time.
"""

from __future__ import annotations

from cep_core.language.evaluator import Atom
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.temporal.bind.sub_logs import split_types


def atoms_of(policy: PropositionalPolicy) -> tuple[Atom, ...]:
    """The atoms of a policy, in the order of the formula or of the schema; each event type appears once.

    >>> from cep_core.events.schema import LogSchema
    >>> from cep_core.language.propositional.bind.binding import bind_written
    >>> from cep_core.language.propositional.text.parsing import parse
    >>> atoms_of(bind_written(parse("a IMPLIES ONCE (b AND a)"), LogSchema({"b": {}, "a": {}, "c": {}})))
    (Atom(event_type='a', variables=(), constants=()), Atom(event_type='b', variables=(), constants=()))
    """
    if policy.for_each:
        own = tuple((attribute, attribute) for attribute in policy.for_each)
        return tuple(Atom(event_type, own) for event_type in split_types(policy.for_each, policy.schema))
    return tuple(Atom(event_type) for event_type in dict.fromkeys(a.event_type for a in policy.atoms.values()))
