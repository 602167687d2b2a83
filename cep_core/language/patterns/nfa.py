"""The automaton NFA^b of a pattern as paper 04 draws it (SASE++, section 2.2, Fig. 1), for `explain`.

One state for each plain component, two for each Kleene component (`b[1]`, `b[i]`), and the final state F: l + k + 1
states for l components of which k are Kleene. Defined for a sequence of units; other patterns have a template only.
"""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.language.patterns.query import Strategy
from cep_core.language.patterns.tree import Kleene, Not, Pattern, Sequence, Unit


@dataclass(frozen=True)
class State:
    """A state and the names of its edges."""

    name: str
    edges: tuple[str, ...]


def nfa_of(pattern: Pattern, strategy: Strategy) -> tuple[State, ...] | None:
    """The states in order, F last; None if the pattern is no sequence of units and closures of units.

    >>> from cep_core.language.patterns.naming import name_variables
    >>> from cep_core.language.patterns.parsing import parse_pattern
    >>> pattern = name_variables(parse_pattern("SEQ(ReducerStart a, LoadStd+ b[], ReducerEnd c)"))
    >>> [state.name for state in nfa_of(pattern, Strategy.ANY)]
    ['a', 'b[1]', 'b[i]', 'c', 'F']
    """
    elements = pattern.elements if isinstance(pattern, Sequence) else (pattern,)
    states: list[State] = []
    for element in elements:
        waits = ("ignore",) if states and strategy in (Strategy.NEXT, Strategy.ANY) else ()
        match element:
            case Unit():
                states.append(State(element.variable, ("begin", *waits)))
            case Kleene(body=Unit() as unit, least=1, most=None):
                skips = ("ignore",) if strategy in (Strategy.NEXT, Strategy.ANY) else ()
                states.append(State(f"{unit.variable}[1]", ("begin", *waits)))
                states.append(State(f"{unit.variable}[i]", ("take", *skips, "proceed")))
            case Not():
                continue
            case _:
                return None
    return (*states, State("F", ()))
