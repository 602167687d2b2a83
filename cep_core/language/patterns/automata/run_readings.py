"""Checks that runs find every match although a binding may have several paths: each run follows only one path."""

from __future__ import annotations

from itertools import combinations, groupby

from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.automata.passed_negations import Way

NOTHING: Way = frozenset()


def check_readings(automaton: Automaton, at: Position) -> None:
    """Refuses an automaton in which a run has two states for the same event, and they pass different negations.

    A binding is a match if one of its paths allows it (`docs/semantics.md` 3), but a run follows only one path. The
    branches of an OR around the whole pattern have separate runs. Raises NotSupportedYet.
    """
    choices = [(starts, {s: automaton.before.get(s, NOTHING) for s in starts}) for starts in automaton.branches]
    for state, after in enumerate(automaton.successors):
        choices.append((after, {s: automaton.between.get((state, s), NOTHING) for s in after}))
    for states, passed in choices:
        by_variable = sorted(states, key=lambda state: automaton.variables[state])
        alike = (list(members) for _, members in groupby(by_variable, key=lambda state: automaton.variables[state]))
        for first, second in (pair for members in alike for pair in combinations(members, 2)):
            if passed[first] != passed[second] or not _alike_after(automaton, first, second):
                message = "an event that can be read in two ways of which only one forbids something"
                hint = "an OR around the whole pattern, or different names"
                raise NotSupportedYet(f"{message} is not supported yet under one match for each start", at, hint=hint)


def _alike_after(automaton: Automaton, first: int, second: int) -> bool:
    """Whether both states pass the same negations before every variable that may follow both."""
    after_first, after_second = _passed_after(automaton, first), _passed_after(automaton, second)
    return all(after_first[name] == after_second[name] for name in after_first.keys() & after_second.keys())


def _passed_after(automaton: Automaton, state: int) -> dict[str | None, set[Way]]:
    """For each variable that may come next (None at the end of the match): the negations passed before it."""
    passed: dict[str | None, set[Way]] = {}
    for after in automaton.successors[state]:
        passed.setdefault(automaton.variables[after], set()).add(automaton.between.get((state, after), NOTHING))
    if state in automaton.accepts:
        passed[None] = {automaton.after.get(state, NOTHING)}
    return passed
