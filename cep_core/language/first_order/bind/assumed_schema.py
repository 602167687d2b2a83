"""The schema that a policy assumes, if none is declared: its event types, their attributes, typed by their use.

It is used for `explain` without a log. Attributes of arguments without names are "1", "2", and so on. A name that is
used with several numbers of arguments is kept as "P/1", "P/2". What no use determines is text, if it is no number.
"""

from __future__ import annotations

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.first_order.bind.declarations import BUILT_IN, OF_EVERY_EVENT
from cep_core.language.first_order.bind.fresh_names import FreshNames
from cep_core.language.first_order.bind.inference import ATTRIBUTE_TYPES, Known, TermType, Types
from cep_core.language.first_order.bind.resolution import Resolver, free_names
from cep_core.language.temporal.bind.reporting import Faults
from cep_core.language.temporal.formulas import Formula, Let, Predicate
from cep_core.language.temporal.text.written import WrittenPolicy
from cep_core.language.temporal.walk import operands


def schema_mentioned_by(written: WrittenPolicy) -> LogSchema:
    """The schema that a parsed policy assumes. What contradicts itself is left to `bind_written` to report.

    >>> from cep_core.language.first_order.text.parsing import parse
    >>> schema = schema_mentioned_by(parse('P(x, "a") AND NOT ONCE Q(speed=x, tail=y) AND x > 0.5'))
    >>> for event_type, attributes in schema.types.items():
    ...     print(event_type, {name: attribute.type.value for name, attribute in attributes.items()})
    P {'1': 'float', '2': 'string'}
    Q {'speed': 'float', 'tail': 'string'}
    """
    attributes = _attributes(written)
    untyped = _schema({name: dict.fromkeys(names, AttributeType.INT) for name, names in attributes.items()})
    faults = Faults("", "")
    names = FreshNames(free_names(written.formula))
    formula = Resolver(untyped, names, faults.report).resolved(written.formula)

    def kind(event_type: str, name: str) -> Known:
        if name not in untyped.attributes_of(event_type):
            return TermType.INT  # seq and ts
        return f"{event_type} {name}"

    types = Types(kind, faults.report)
    types.look(formula)
    return _schema(
        {
            event_type: {name: _likeliest(types.of(f"{event_type} {name}")) for name in named}
            for event_type, named in attributes.items()
        }
    )


def _likeliest(kind: TermType) -> AttributeType:
    return AttributeType.STRING if kind is TermType.ANY else ATTRIBUTE_TYPES.get(kind, AttributeType.STRING)


def _schema(types: dict[str, dict[str, AttributeType]]) -> LogSchema:
    return LogSchema(
        {
            event_type: {name: Attribute(name, kind, False) for name, kind in attributes.items()}
            for event_type, attributes in types.items()
        }
    )


def _attributes(written: WrittenPolicy) -> dict[str, tuple[str, ...]]:
    """The attributes of each event type: those that are named, or numbers for arguments without names."""
    named: dict[str, dict[str, None]] = {}
    numbers: dict[str, dict[int, None]] = {}
    for atom in _events(written.formula, frozenset()):
        if atom.names is None:
            numbers.setdefault(atom.event_type, {})[len(atom.arguments)] = None
        else:
            own = (name for name in atom.names if name not in OF_EVERY_EVENT)
            named.setdefault(atom.event_type, {}).update(dict.fromkeys((*own, *written.for_each)))
    attributes: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys((*numbers, *named)):
        arities = [number for number in numbers.get(name, ()) if number] or [0]
        if name not in named and len(arities) > 1:
            attributes |= {f"{name}/{n}": tuple(map(str, range(1, n + 1))) for n in arities}
        else:
            known = tuple(named.get(name, ()))
            attributes[name] = (*known, *map(str, range(len(known) + 1, max(arities) + 1)))
    return attributes


def _events(formula: Formula, defined: frozenset[str]) -> list[Predicate]:
    """The predicates that stand for events: neither built in nor, by their name, a definition's."""
    match formula:
        case Predicate():
            is_event = formula.event_type not in defined and formula.event_type not in BUILT_IN
            return [formula] if is_event else []
        case Let():
            inside = defined | {formula.name}
            return [*_events(formula.definition, defined), *_events(formula.body, inside)]
        case _:
            return [atom for operand in operands(formula) for atom in _events(operand, defined)]
