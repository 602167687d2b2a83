"""The least load that real-valued shares could reach: the yardstick for integer shares.

Minimises paper 01's cost, the sum over atoms of rate / product of shares, over real shares >= 1 with product at most
the number of slices (section 5.1; Beame et al. show that no one-round algorithm beats it on skew-free data). In
logarithms of shares the cost is convex. It is solved by accelerated projected gradient steps. The result is a certified
lower bound: the value reached minus its duality gap.

Cost: at most a few thousand steps of O(atoms * variables).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from cep_core.language.evaluator import Atom
from cep_core.slicing.shares import Rate, bound, rates_of

STEPS = 2_000
ENOUGH = 1e-7
"""Stop when the error of the logarithm of the value is below this."""

Vector = npt.NDArray[np.float64]


def lower_bound(
    atoms: Sequence[Atom],
    variables: Sequence[str],
    slices: int,
    rates: Mapping[str, Rate] | Sequence[Rate] | None = None,
) -> float:
    """The lower bound of the maximum load, as a share of all events (rates are divided by their sum).

    >>> triangle = [Atom("P", (("a", "x"), ("b", "y"))), Atom("Q", (("a", "y"), ("b", "z"))),
    ...             Atom("R", (("a", "z"), ("b", "x")))]
    >>> round(lower_bound(triangle, "xyz", slices=16), 4)  # 16 ** (-2 / 3); integer shares reach 1 / 6
    0.1575
    """
    frequencies = np.array([float(rate) for rate in rates_of(atoms, rates)])
    if not frequencies.sum():
        return 0.0
    members = np.array([[name in own for name in variables] for own in map(bound, atoms)], np.float64)
    members, frequencies = (
        members.reshape(len(atoms), len(variables))[frequencies > 0],
        frequencies[frequencies > 0] / frequencies.sum(),
    )
    if not len(variables) or slices == 1:
        return 1.0
    budget = float(np.log(slices))
    point = momentum = np.full(len(variables), budget / len(variables))
    step, weight, best = 1 / max(1.0, members.sum(axis=1).max()), 1.0, -np.inf
    for _ in range(STEPS):
        value, gradient = _log_cost(frequencies, members, point)
        best = max(best, value - float(gradient @ point - budget * gradient.min()))  # the Frank-Wolfe gap
        if value - best < ENOUGH:
            break
        _, momentum_gradient = _log_cost(frequencies, members, momentum)
        next_point = _onto_simplex(momentum - step * momentum_gradient, budget)
        if momentum_gradient @ (next_point - point) > 0:  # going uphill: restart the acceleration
            weight, momentum = 1.0, point
            continue
        next_weight = (1 + np.sqrt(1 + 4 * weight * weight)) / 2
        momentum, point, weight = (
            next_point + (weight - 1) / next_weight * (next_point - point),
            next_point,
            float(next_weight),
        )
    return float(np.exp(best))


def _log_cost(rates: Vector, members: Vector, point: Vector) -> tuple[float, Vector]:
    """Logarithm of the cost at these logarithms of shares, and its gradient."""
    terms = np.log(rates) - members @ point
    top = terms.max()
    powers = np.exp(terms - top)
    return float(top + np.log(powers.sum())), -(members.T @ powers) / powers.sum()


def _onto_simplex(point: Vector, total: float) -> Vector:
    """The nearest point with non-negative coordinates that add up to `total`."""
    ordered = np.sort(point)[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, len(point) + 1)
    return np.maximum(point - excess[np.flatnonzero(ordered > excess)[-1]], 0.0)
