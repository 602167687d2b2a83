"""The attributes in a query's conditions, which readers of its matches want to see for each event."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from cep_core.language.patterns.query import Query, ReturnItem
from cep_core.language.patterns.tree import PrefixAggregate, Reference
from jobs.workload.sections.event_types import ONE_OF_THE_VALUES


def mentioned(query: Query) -> dict[str, tuple[str, ...]]:
    """For each positive variable, the attributes that conditions name, in the order of the conditions, without keys.

    Key attributes are the same in the whole match and are shown once for it.
    """
    keys = {member for key in query.key_classes for member in key.members}
    masked = query.schema.masked
    named: dict[str, list[str]] = {variable.name: [] for variable in query.variables if not variable.negated}
    conditions = [
        *(predicate.expression for predicate in query.vertex_predicates),
        *(predicate.expression for predicate in query.edge_predicates),
        *(predicate.expression for predicate in query.match_predicates),
    ]
    for condition in conditions:
        for variable, attribute in _references(condition):
            names = named.get(variable)
            if attribute in masked or names is None or attribute in names or (variable, attribute) in keys:
                continue
            names.append(attribute)
    return {variable: tuple(names) for variable, names in named.items()}


def shown_attributes(query: Query, most: int) -> dict[str, tuple[str, ...]]:
    """For each positive variable, the attributes that a table shows of its events, at most so many.

    Without RETURN those come first that the workload says are `shown`; then those that conditions name.
    """
    keys = {member for key in query.key_classes for member in key.members}
    types = {variable.name: query.schema.attributes_of(variable.event_type) for variable in query.variables}
    chosen = {}
    for variable, named in mentioned(query).items():
        first = [
            attribute.name
            for attribute in types[variable].values()
            if attribute.shown and not attribute.masked and (variable, attribute.name) not in keys
        ]
        chosen[variable] = tuple(dict.fromkeys([*([] if query.returns else first), *named]))[:most]
    return chosen


def attributes_of_returns(query: Query, among: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The columns of a query's result that show values of some attributes: those that name groups, and all others."""
    groups = {item.column for item in query.returns if item.attribute in among}
    groups |= among.intersection(query.group_by)
    values = set()
    for item in query.returns:
        named = {attribute for _, attribute in _references(item.expression)}
        if item.argument in among and item.aggregate is not None and item.aggregate.name in ONE_OF_THE_VALUES:
            named.add(item.argument)
        if not among.isdisjoint(named):
            values |= {item.column, *(f"{item.column}_{part}" for part in ("log10", "sign", "exact"))}
    return frozenset(groups), frozenset(values)


def is_covered(query: Query, item: ReturnItem) -> bool:
    """Whether reports may not show an item of RETURN, as it is a value of a masked attribute."""
    return item.column in attributes_of_returns(query, query.schema.masked)[1]


def _references(node: Any) -> list[tuple[str, str]]:
    if isinstance(node, Reference):
        return [(node.variable, node.attribute)]
    if isinstance(node, PrefixAggregate):
        return [(node.variable, node.attribute)] if node.attribute else []
    if isinstance(node, tuple):
        return [pair for item in node for pair in _references(item)]
    if is_dataclass(node):
        return [pair for field in fields(node) for pair in _references(getattr(node, field.name))]
    return []


def entity_titles(query: Query) -> list[str]:
    """The names of the keys of `entity` on pages: the title of the key's attribute, if it has one.

    Two keys over the same attribute name are told apart by the variable: "aircraft" and "aircraft of b".
    """
    titles = []
    for name, variable, attribute in entity(query):
        title = query.schema.title_of(attribute)
        titles.append(name if title == attribute else title if name == attribute else f"{title} of {variable}")
    return titles


def entity(query: Query) -> tuple[tuple[str, str, str], ...]:
    """The subject of a match: for each key, its name and a mandatory variable and attribute that have its value.

    Keys of masked attributes are left out.
    """
    masked = query.schema.masked
    mandatory = [variable.name for variable in query.variables if not variable.negated and not variable.optional]
    chosen = []
    for key in query.key_classes:
        member = next((member for name in mandatory for member in key.members if member[0] == name), None)
        if member is not None and member[1] not in masked:
            chosen.append((key.name, *member))
    return tuple(chosen)


def latest_entity(query: Query) -> tuple[tuple[str, str], ...]:
    """The subject of a match by its last events: for each key, the last mandatory variable that has its value in the
    attribute of `entity`, and this attribute.

    Matches that end together share their last events, so of all variables this one binds the fewest events in them.
    """
    mandatory = [variable.name for variable in query.variables if not variable.negated and not variable.optional]
    members = {key.name: key.members for key in query.key_classes}
    return tuple(
        next((variable, attribute) for variable in reversed(mandatory) if (variable, attribute) in members[name])
        for name, _, attribute in entity(query)
    )
