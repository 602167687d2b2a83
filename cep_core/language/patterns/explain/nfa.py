"""The automaton NFA^b of a pattern as paper 04 draws it (SASE++, section 2.2, Fig. 1), for `explain`.

It has one state for each plain component, two for each Kleene component (`b[1]`, `b[i]`), and the final state F: l + k
+ 1 states for l components of which k are Kleene. The edges `begin` and `take` consume the event, `ignore` skips it,
and `proceed` moves on without an event. It exists for sequences of units and closures of units; other patterns only
have a template.
"""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.language.patterns.query import Query, Strategy
from cep_core.language.patterns.tree import Kleene, Not, Pattern, Sequence, Unit


@dataclass(frozen=True)
class Edge:
    """`kind` is begin, take, ignore or proceed. `event_type` is the type consumed or skipped, "" for proceed."""

    kind: str
    target: str
    event_type: str = ""


@dataclass(frozen=True)
class State:
    """A state, the variable that it binds ("" for F), and its edges."""

    name: str
    variable: str
    leaving: tuple[Edge, ...]

    @property
    def edges(self) -> tuple[str, ...]:
        """The kinds of its edges."""
        return tuple(edge.kind for edge in self.leaving)


def nfa_of(pattern: Pattern, strategy: Strategy) -> tuple[State, ...] | None:
    """The states in order, F last; None if the pattern is no sequence of units and closures of units.

    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> pattern = name_variables(parse_pattern("SEQ(ReducerStart a, LoadStd+ b[], ReducerEnd c)"))
    >>> [state.name for state in nfa_of(pattern, Strategy.ANY)]
    ['a', 'b[1]', 'b[i]', 'c', 'F']
    """
    elements = pattern.elements if isinstance(pattern, Sequence) else (pattern,)
    parts: list[tuple[Unit, str, bool]] = []
    for element in elements:
        match element:
            case Unit():
                parts.append((element, element.variable, False))
            case Kleene(body=Unit() as unit, least=1, most=None):
                parts += [(unit, f"{unit.variable}[1]", False), (unit, f"{unit.variable}[i]", True)]
            case Not():
                continue
            case _:
                return None
    skips = strategy in (Strategy.NEXT, Strategy.ANY)
    states: list[State] = []
    for place, (unit, name, repeats) in enumerate(parts):
        after = parts[place + 1][1] if place + 1 < len(parts) else "F"
        ignore = (Edge("ignore", name, "other" if strategy is Strategy.NEXT else "any"),) if skips and place else ()
        if repeats:
            edges = (Edge("take", name, unit.event_type), *ignore, Edge("proceed", after))
        else:
            edges = (Edge("begin", after, unit.event_type), *ignore)
        states.append(State(name, unit.variable, edges))
    return (*states, State("F", "", ()))


def states_of(query: Query) -> tuple[State, ...] | None:
    """The automaton of a matching query; None if its pattern has none.

    None also for an aggregation, which uses its template.
    """
    return None if query.aggregation else nfa_of(query.pattern, query.strategy)


def nfa_mermaid(states: tuple[State, ...]) -> str:
    """The automaton as a Mermaid state diagram.

    >>> print(nfa_mermaid((State("a", "a", (Edge("begin", "F", "A"),)), State("F", "", ()))))
    stateDiagram-v2
        state "a" as s0
        state "F" as s1
        [*] --> s0
        s0 --> s1: begin A
        s1 --> [*]
    """
    number = {state.name: f"s{place}" for place, state in enumerate(states)}
    lines = [f'    state "{state.name}" as {number[state.name]}' for state in states]
    lines.append(f"    [*] --> {number[states[0].name]}")
    for state in states:
        for edge in state.leaving:
            label = f"{edge.kind} {edge.event_type}".rstrip()
            lines.append(f"    {number[state.name]} --> {number[edge.target]}: {label}")
    return "\n".join(["stateDiagram-v2", *lines, f"    {number['F']} --> [*]"])
