"""Sections of `explain` that both policy languages have: how a policy is sliced, and how far it looks back."""

from __future__ import annotations

from collections.abc import Sequence

from cep_core.language.durations import spoken
from cep_core.language.evaluator import Atom, Reach
from cep_core.language.explanation import Section


def slicing_section(atoms: Sequence[Atom], variables: Sequence[str]) -> Section:
    """What the slicer sees: the variables that bind some atom, in the order of `variables`, and the atoms."""
    bound = {variable for atom in atoms for _, variable in atom.variables}
    names = [name for name in variables if name in bound]
    lines = ["variables " + ", ".join(names) if names else "no variable binds an atom: slices are ranges of time"]
    facts = {
        "variables": names,
        "atoms": [
            {
                "type": atom.event_type,
                "variables": [list(pair) for pair in atom.variables],
                "constants": dict(atom.constants),
            }
            for atom in atoms
        ],
    }
    return Section("slicing", (*lines, *map(_atom_text, atoms)), facts)


def _atom_text(atom: Atom) -> str:
    inside = [name if name == variable else f"{name}: {variable}" for name, variable in atom.variables]
    inside += [f"{name} = {value!r}" for name, value in atom.constants]
    return f"{atom.event_type}({', '.join(inside)})"


def reach_section(reach: Reach, after: int | None, unit: str) -> Section:
    """How far a policy looks back, and how long `after` its point a verdict is certain; None: when the log ends."""
    points = f" and {reach.points} time-point{'' if reach.points == 1 else 's'}" if reach.points else ""
    lines = [("unbounded" if reach.time is None else spoken(reach.time, unit)) + points]
    if after is None:
        certain = "when the log ends"
    else:
        certain = f"{spoken(after, unit)} after its point" if after else "at its point"
    lines.append(f"a result is certain {certain}")
    facts = {"time": reach.time, "points": reach.points, "events": 0, "certain": certain, "certain_after": after}
    return Section("reach", tuple(lines), facts)
