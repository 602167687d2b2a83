"""The formulas of paper 02, figure 5, and logs for them with so many points a stamp."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

FORMULAS = {
    "f1": "EVENTUALLY[0,5] q",
    "f2": "p UNTIL[0,5] q",
    "f3": "p UNTIL[0,5] (q SINCE[2,6] r)",
    "f4": "p UNTIL[0,5] (q UNTIL[2,6] r)",
}
STAMPS = 100


def shares(formula: str, rate: int) -> dict[str, float]:
    """How likely each atom is at a point: as the paper's generator has it for f1 and f2; the others' is not known."""
    rare, often = (10 / 1010, 1000 / 1010) if rate <= 1000 else (1 / 1001, 1000 / 1001)
    return {"p": often, "q": rare, "r": 0.0} if formula in ("f1", "f2") else {"p": often, "q": often, "r": rare}


def columns(formula: str, rate: int, stamps: int) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    """Each stamp with the atoms of its points."""
    random = np.random.default_rng(1)
    for stamp in range(stamps):
        yield stamp, {name: random.random(rate) < share for name, share in shares(formula, rate).items()}


def write_log(path: Path, formula: str, rate: int) -> None:
    """A text log: a line for each point."""
    names = [" ".join(["", *(name for bit, name in enumerate("pqr") if letter >> bit & 1)]) for letter in range(8)]
    with path.open("w") as file:
        for stamp, atoms in columns(formula, rate, STAMPS):
            lines = np.array([f"@{stamp}{own}\n" for own in names], object)
            file.write("".join(lines[atoms["p"] + 2 * atoms["q"] + 4 * atoms["r"]]))
