"""The values that each vertex adds to the totals, as columns for the kernels (`cep_core/aggregates/measures.py`).

If the measure of a total is negative for some vertex, the total takes two columns. The second is subtracted at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from cep_core.arrays import Bits, Ints
from cep_core.numbers.integers import Integers
from cep_core.numbers.limb_words import LIMB_BITS
from cep_core.numbers.words import LIMIT
from cep_core.trends.plan.aggregates import CarriedTotal


@dataclass(frozen=True)
class Weights:
    """The weights [m, J] for the kernels, and how the totals follow from their J sums."""

    words: Ints
    """The weights as machine words; void if `wide`."""
    parts: tuple[Bits, ...]
    """The weights of each column as limbs of 32 bits, [m, limbs]."""
    states: Bits
    """[J] The states in which an occurrence counts, as bits."""
    wide: bool
    """Whether a weight does not fit a machine word with room to spare. Then every window needs the exact kernel."""
    places: tuple[tuple[int, int | None], ...]
    """For each total, the columns of its positive and of its negative part."""
    shifts: tuple[int, ...]
    """Each total is its number divided by 2**shift."""

    @cached_property
    def limbs(self) -> Bits:
        """The weights as limbs of 32 bits, [m, J, limbs]: the exact kernel reads them."""
        limbs = np.zeros((len(self.words), len(self.parts), _width(self.parts)), dtype=np.uint64)
        for j, part in enumerate(self.parts):
            limbs[:, j, : part.shape[1]] = part
        return limbs

    def totals(self, sums: list[Integers]) -> list[Integers]:
        """The plan's totals from the sums of the J columns."""
        return [sums[plus] if minus is None else sums[plus].minus(sums[minus]) for plus, minus in self.places]


def weights_of(
    totals: tuple[CarriedTotal, ...], states_of: tuple[int, ...], columns: dict[str, pa.Array], vertices: int
) -> Weights:
    """The weights of m vertices. `states_of`: the states of each total (bits); `columns[attribute]`: the m values."""
    parts: list[Bits] = []
    states: list[int] = []
    places: list[tuple[int, int | None]] = []
    shifts: list[int] = []
    for total, bits in zip(totals, states_of, strict=True):
        values = pa.nulls(vertices) if total.attribute is None else columns[total.attribute]
        positive, negative, shift = total.measure(values)
        places.append((len(parts), len(parts) + 1 if negative is not None else None))
        shifts.append(shift)
        for part in (positive, negative):
            if part is not None:
                parts.append(part)
                states.append(bits)
    words = np.empty((vertices, len(parts)), dtype=np.int64)
    wide = False
    for j, part in enumerate(parts):
        words[:, j] = part[:, 0].view(np.int64)
        if part.shape[1] > 1:
            words[:, j] |= (part[:, 1] << LIMB_BITS).view(np.int64)
            wide |= bool(part[:, 2:].any()) or bool(((words[:, j] < 0) | (words[:, j] >= LIMIT)).any())
    return Weights(words, tuple(parts), np.array(states, dtype=np.uint64), wide, tuple(places), tuple(shifts))


def _width(parts: Sequence[Bits]) -> int:
    """The limbs of the widest column."""
    return max((part.shape[1] for part in parts), default=1)
