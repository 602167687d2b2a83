"""The conditions of a pattern query, as its explanation lists them (`docs/language.md` 5): class, consistency, place.

Consistency is that of paper 04 (`bind/classification.py`): it says whether a condition may be evaluated before a match
is complete. Cost: linear in the conditions.
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.explanation import Section
from cep_core.language.patterns.query import Adjacency, EdgePredicate, Query, Strategy
from cep_core.language.patterns.text.printing import print_expression
from cep_core.language.patterns.tree import Expression, Reference, Which
from cep_core.language.patterns.walk import rewrite


def condition_section(query: Query) -> Section:
    """A line for each condition."""
    variables = {variable.name: variable for variable in query.variables}
    rows: list[tuple[str, str, str, str]] = []
    contiguous = query.strategy in (Strategy.STRICT, Strategy.PARTITION)
    for key in query.key_classes:
        members = " = ".join(f"{variable}.{attribute}" for variable, attribute in key.members)
        if len(key.members) == 1:
            members += f" of every {key.members[0][0]}"
        rows.append(
            (members, "equivalence", "both", "partitions the events" if key.slices else "checked event by event")
        )
    for vertex in query.vertex_predicates:
        place = "on each event; one that fails breaks contiguity" if contiguous else "filters events first"
        rows.append((print_expression(vertex.expression), "vertex", "both", place))
    for edge in query.edge_predicates:
        # unless both variables are plain, leaving out events changes which events are neighbours
        plain = not (variables[edge.source].kleene or variables[edge.target].kleene)
        text = print_expression(as_written(edge))
        rows.append((text, "edge", "both" if plain else "inconsistent", _edge_place(edge)))
    for predicate in query.match_predicates:
        place = "on the whole match or a prefix of it" if predicate.consistency == "inconsistent" else "on the fly"
        rows.append((print_expression(predicate.expression), "match", predicate.consistency, place))
    lines = tuple(f"{text}: {kind}, {_consistent(consistency)}, {place}" for text, kind, consistency, place in rows)
    facts = [
        {"text": t, "class": kind, "consistency": consistency, "evaluated": place}
        for t, kind, consistency, place in rows
    ]
    return Section("predicates", lines or ("none",), facts)


def _consistent(consistency: str) -> str:
    words = {"both": "true- and false-consistent", "true": "true-consistent", "false": "false-consistent"}
    return words.get(consistency, consistency)


def as_written(edge: EdgePredicate) -> Expression:
    """The condition as a user writes it; inside, the tree has the earlier event of the same variable as `b[i-1]`."""

    def written(part: Expression) -> Expression:
        if not isinstance(part, Reference):
            return part
        is_source = part.variable == edge.source and (edge.source != edge.target or part.which is Which.PREVIOUS)
        if edge.source == edge.target and edge.adjacency is Adjacency.NEIGHBOUR:
            return replace(part, which=Which.EACH if is_source else Which.NEXT_NEIGHBOUR)
        if edge.first_only and not is_source:
            return replace(part, which=Which.AT, index=1)
        return replace(part, which=Which.LAST) if edge.last_only and is_source else part

    return rewrite(edge.expression, written)


def _edge_place(edge: EdgePredicate) -> str:
    if edge.adjacency is Adjacency.BINDING:
        return f"between consecutive events of {edge.target}"
    first = f"the first {edge.target}" if edge.first_only else edge.target
    last = f"the last {edge.source}" if edge.last_only else edge.source
    return f"on the transition from {last} to {first}"
