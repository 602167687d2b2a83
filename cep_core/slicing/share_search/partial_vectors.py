"""Partial share vectors, those that give a share to the first variables alone: how they go on, and what they must cost.

The cost is that of paper 01, Algorithm 2: the sum over atoms of rate / product of the shares of the atom's variables.
In bits (logarithms of shares) it is convex. Two bounds follow for all vectors that begin like a partial one. The saving
of several shares is at most the sum of their savings, and bits are best spent where a bit saves most (a knapsack). And
any weights of the atoms give a bound (the geometric mean); a few steps of descent choose them.

Cost: O(variables * atoms) array operations for a block of partial vectors; for most the first bound is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from cep_core.arrays import Flags, Floats, Ints
from cep_core.matrix_products import product

MOST_TABLED = 1024
"""For more slices the saving of whole shares is not tabled; the first bound is then a little lower."""
DESCENT = 6
"""Steps that choose the weights of the second bound."""
NEARLY = 1e-12
"""Costs that differ by less, relatively, count as equal while vectors are dropped: floats cannot tell."""

_BITS = np.log2(np.arange(1, 6))
_GAIN = 1 - 1 / np.arange(1.0, 6.0)
_SLOPES = np.diff(_GAIN) / np.diff(_BITS)
"""What a bit saves of the cost of a variable's atoms while its share goes from 1 to 2, 3, 4, 5; less and less."""


@dataclass(frozen=True)
class PartialVectors:
    """The atoms and variables of a search, in the order in which variables are tried."""

    members: Flags
    rates: Floats
    twins: list[int | None]
    places: Ints
    """The number of each variable in this order, by its rank in the order of the caller's variables."""
    tabled: int
    """Up to so many slices the saving of whole shares is tabled."""

    def begun(self, slices: int) -> Ints:
        """A vector that costs little: the share grows that saves most for its bits, as long as slices last.

        Small shares grow by one, larger ones by an eighth: it is a beginning, and the search finds the best.
        """
        held = np.ones(len(self.twins), np.int64)
        members = self.members.astype(np.float64)
        while True:
            room = slices // (held.prod() // held)
            grown = np.minimum(held + np.maximum(1, held // 8), room)
            growing = np.flatnonzero(grown > held)
            if not len(growing):
                return held
            kept = held[growing] / grown[growing]
            saved = product(self.costs(held[None]), members)[0, growing] * (1 - kept)
            place = growing[(saved / -np.log2(kept)).argmax()]
            held[place] = grown[place]

    def may_win(self, shares: Ints, left: Ints, bounds: Floats, least: float, held: Ints) -> Flags:
        """Which partial vectors may become better than the one held, whose cost is `least`.

        If its cost can at most be equal, it must have a smaller maximum, fewer slices, or more for earlier variables.
        """
        may = bounds <= least * (1 + NEARLY)
        ties = np.flatnonzero(may & (bounds >= least * (1 - NEARLY)))
        if not len(ties):
            return may
        shares, left = shares[ties], left[ties]
        maximum = shares.max(axis=1, initial=1)
        smaller = maximum < held.max()
        smaller[smaller] = self.bounds(shares[smaller], left[smaller], cap=held.max() - 1) <= least * (1 + NEARLY)
        spent = shares.prod(axis=1)
        room = (held.prod() - 1) // spent
        fewer = (maximum <= held.max()) & (room > 0)
        fewer[fewer] = self.bounds(shares[fewer], np.minimum(left, room)[fewer]) <= least * (1 + NEARLY)
        left = np.minimum(left, held.prod() // spent)
        earlier = (maximum <= held.max()) & (left > 0)
        earlier[earlier] = self._may_be_earlier(shares[earlier], left[earlier], least * (1 + NEARLY), held)
        may[ties] = smaller | fewer | earlier
        return may

    def _may_be_earlier(self, shares: Ints, left: Ints, least: float, held: Ints) -> Flags:
        """Which partial vectors may have a completion that gives more to the first variable where it differs."""
        is_known = self.places < shares.shape[1]
        known = self.places[is_known]
        steps = np.column_stack([shares[:, known] - held[known], np.zeros(len(shares), np.int64)])
        first = np.where((steps != 0).any(axis=1), (steps != 0).argmax(axis=1), len(known))
        differs_at = np.append(np.flatnonzero(is_known), len(held))[first]
        may: Flags = steps[np.arange(len(steps)), first] > 0
        may[may] = self.bounds(shares[may], left[may], cap=held.max()) <= least
        for place in np.flatnonzero(~is_known):
            rows = np.flatnonzero(~may & (place < differs_at))
            if len(rows):
                bounds = self._bounds_with(int(self.places[place]), shares[rows], left[rows], held)
                may[rows] = bounds <= least
        return may

    def _bounds_with(self, own: int, shares: Ints, left: Ints, held: Ints) -> Floats:
        """No vector that begins like this and gives the variable `own` more than the held one does costs less."""
        costs = self.costs(shares)
        later = self.members[:, shares.shape[1] :].astype(np.float64)
        weights = product(costs, later)
        place = own - shares.shape[1]
        most = int(held.max())
        table = _saved_at_most(self.tabled, len(self.twins), min(most, self.tabled))
        others = np.delete(weights, place, axis=1).max(axis=1, initial=0.0)
        saved = np.full(len(shares), -np.inf)
        for share in range(int(held[own]) + 1, most + 1):
            fits = left >= share
            rest = left[fits] // share
            whole = np.where(
                rest > MOST_TABLED, table.shape[0], table[later.shape[1] - 1, np.minimum(rest, MOST_TABLED)]
            )
            saved[fits] = np.maximum(saved[fits], weights[fits, place] * (1 - 1 / share) + others[fits] * whole)
        bounds: Floats = (costs.sum(axis=1) - saved) * (1 - 1e-14)
        return bounds

    def costs(self, shares: Ints) -> Floats:
        """By partial vector and atom: rate / product of the shares that are known."""
        known = self.members[:, : shares.shape[1]].astype(np.float64)
        costs: Floats = self.rates * np.exp2(-product(np.log2(shares), known.T))
        return costs

    def extended(self, shares: Ints, left: Ints) -> tuple[Ints, Ints]:
        """The partial vectors with every share of the next variable, and how many slices each part still has."""
        number = shares.shape[1]
        twin = self.twins[number]
        most = left if twin is None else np.minimum(left, shares[:, twin])
        if number == len(self.twins) - 1:  # the more, the cheaper
            return np.column_stack([shares, most]), left // most
        rows = np.repeat(np.arange(len(most)), most)
        own = np.repeat(np.cumsum(most), most) - np.arange(len(rows))
        return np.column_stack([shares[rows], own]), left[rows] // own

    def bounds(self, shares: Ints, left: Ints, least: float = np.inf, cap: int | None = None) -> Floats:
        """No vector that begins like this costs less; `cap`: the largest share of the other variables.

        What is above `least` need not be known well.
        """
        costs = self.costs(shares)
        later = self.members[:, shares.shape[1] :].astype(np.float64)
        is_open = later.any(axis=1)
        live, later, bits = costs[:, is_open], later[is_open], np.log2(left)
        closed, weights = costs[:, ~is_open].sum(axis=1), product(live, later)
        now = closed + live.sum(axis=1)
        table = _saved_at_most(self.tabled, len(self.twins), min(cap or self.tabled, self.tabled))
        saved = weights.max(axis=1, initial=0.0) * table[later.shape[1], np.minimum(left, MOST_TABLED)]
        bounds: Floats = now - np.where(left > MOST_TABLED, np.inf, saved)
        rest = bounds <= least
        bounds[rest] = np.maximum(bounds[rest], now[rest] - _most_saved(weights[rest], bits[rest], cap))
        rest = bounds <= least
        bounds[rest] = np.maximum(
            bounds[rest], closed[rest] + _weighted(live[rest], later, bits[rest], least - closed[rest])
        )
        return bounds * (1 - 1e-14)


@lru_cache(maxsize=256)
def _saved_at_most(slices: int, variables: int, cap: int) -> Floats:
    """By number of variables and of slices: the largest sum of 1 - 1 / share; no share is above `cap`."""
    saved = np.zeros((variables + 1, slices + 1))
    slots = np.arange(slices + 1)
    for count in range(1, variables + 1):
        for share in range(1, cap + 1):
            with_share = saved[count - 1, slots[share:] // share] + 1 - 1 / share
            saved[count, share:] = np.maximum(saved[count, share:], with_share)
    return saved


def _most_saved(weights: Floats, bits: Floats, cap: int | None) -> Floats:
    """The first bound's saving: bits go where a bit saves most. `weights`: by vector and variable, of its atoms."""
    widths = np.append(np.diff(_BITS)[:-1], np.inf)
    if cap is not None and cap < len(_BITS):
        widths = np.where(np.arange(len(widths)) < cap - 1, np.diff(_BITS), 0.0)
    slopes = (weights[:, :, None] * _SLOPES).reshape(len(weights), weights.shape[1] * len(_SLOPES))
    order = np.argsort(-slopes, axis=1)
    spent = np.minimum(np.cumsum(np.tile(widths, weights.shape[1])[order], axis=1), bits[:, None])
    saved: Floats = (np.take_along_axis(slopes, order, axis=1) * np.diff(spent, axis=1, prepend=0)).sum(axis=1)
    return saved


def _weighted(costs: Floats, members: Floats, bits: Floats, enough: Floats) -> Floats:
    """The second bound: sum(c) >= prod((c / w)^w) for weights w, where no bit does more than the best use of one.

    What is above `enough` need not be known well.
    """
    best = np.zeros(len(costs))
    rows = np.arange(len(costs))
    spent, placed = np.zeros_like(costs), np.zeros((len(costs), members.shape[1]))
    for step in range(DESCENT):
        terms = costs * np.exp2(-spent) if step else costs
        total = terms.sum(axis=1)
        weights = terms / total[:, None]
        uses = product(weights, members)
        exponent = (weights * spent).sum(axis=1) - bits * uses.max(axis=1)
        best[rows] = np.maximum(best[rows], total * np.exp2(exponent))
        placed *= step / (step + 2)
        placed[np.arange(len(rows)), uses.argmax(axis=1)] += bits * 2 / (step + 2)
        low = best[rows] <= enough
        rows, costs, placed, bits, enough = rows[low], costs[low], placed[low], bits[low], enough[low]
        spent = product(placed, members.T)
    return best
