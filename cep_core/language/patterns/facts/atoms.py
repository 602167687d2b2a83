"""The atoms of a pattern query: event types with the attributes that bind slicing variables (`docs/semantics.md` 6).

They correspond to the atoms of a formula in paper 01: repeated variables there are equalities here.
"""

from __future__ import annotations

from cep_core.language.evaluator import Atom
from cep_core.language.patterns.query import Query, Strategy, Variable
from cep_core.language.patterns.tree import Comparison, Literal, Reference


def atoms_of(query: Query) -> tuple[Atom, ...]:
    """One atom for each unit of the pattern, in pattern order, also for negated units. Equal atoms appear once.

    Under partition contiguity, every type that has all partition attributes is read, since its events break a match.
    """
    atoms = dict.fromkeys(_atom(query, variable) for variable in query.variables)
    if query.strategy is Strategy.PARTITION:
        classes = {key.name for key in query.key_classes if key.slices}
        bound = tuple((name, name) for name in query.partition_attributes if name in classes)
        for event_type, attributes in query.schema.types.items():
            if set(query.partition_attributes) <= attributes.keys() | (
                query.schema.columns.keys() if query.schema.open_world else set()
            ):
                atoms.setdefault(Atom(event_type, bound))
    return tuple(atoms)


def _atom(query: Query, variable: Variable) -> Atom:
    bound = tuple(
        (attribute, key.name)
        for key in query.key_classes
        if key.slices
        for member, attribute in key.members
        if member == variable.name
    )
    return Atom(variable.event_type, bound, _constants(query, variable))


def _constants(query: Query, variable: Variable) -> tuple[tuple[str, int | float | str | bool], ...]:
    """The attributes that must equal a constant, so that events with other values need not be read.

    Contiguity also ranks events that fail such a test. Under strict contiguity the rank is `pos`, which every event
    has, so they need not be read. Under partition contiguity they must be read, since the partition's events are
    counted.
    """
    if query.strategy is Strategy.PARTITION:
        return ()
    constants: dict[tuple[str, int | float | str | bool], None] = {}
    for predicate in query.vertex_predicates:
        test = predicate.expression
        if predicate.variable != variable.name or not isinstance(test, Comparison) or test.operator != "=":
            continue
        for reference, literal in ((test.left, test.right), (test.right, test.left)):
            if isinstance(reference, Reference) and isinstance(literal, Literal) and literal.value is not None:
                constants[reference.attribute, literal.value] = None
    return tuple(constants)
