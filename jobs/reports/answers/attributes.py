"""The attributes in a query's conditions, which readers of its matches want to see for each event."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import PrefixAggregate, Reference


def mentioned(query: Query) -> dict[str, tuple[str, ...]]:
    """For each positive variable, the attributes that conditions name, in the order of the conditions, without keys.

    Key attributes are the same in the whole match and are shown once for it.
    """
    keys = {member for key in query.key_classes for member in key.members}
    named: dict[str, list[str]] = {variable.name: [] for variable in query.variables if not variable.negated}
    conditions = [
        *(predicate.expression for predicate in query.vertex_predicates),
        *(predicate.expression for predicate in query.edge_predicates),
        *(predicate.expression for predicate in query.match_predicates),
    ]
    for condition in conditions:
        for variable, attribute in _references(condition):
            names = named.get(variable)
            if names is not None and attribute not in names and (variable, attribute) not in keys:
                names.append(attribute)
    return {variable: tuple(names) for variable, names in named.items()}


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
    """The subject of a match: for each key, its name and a mandatory variable and attribute that have its value."""
    mandatory = [variable.name for variable in query.variables if not variable.negated and not variable.optional]
    chosen = []
    for key in query.key_classes:
        member = next((member for name in mandatory for member in key.members if member[0] == name), None)
        if member is not None:
            chosen.append((key.name, *member))
    return tuple(chosen)
