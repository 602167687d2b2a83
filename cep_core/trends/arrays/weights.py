"""What each vertex adds to the totals: 1, or its attribute's value as a non-negative integer.

Sums are exact whatever the attribute: a negative value adds to a total of its own, which is subtracted in the end, and
doubles, which are integers over a power of two, are brought to a common one (their *shift*). What is not finite counts
as 0 here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Bits, Ints
from cep_core.numbers.codes import unknown
from cep_core.numbers.integers import Integers
from cep_core.numbers.limbs import LIMB, LIMB_BITS, limbs_of
from cep_core.numbers.words import LIMIT
from cep_core.trends.plan.aggregates import Total

MANTISSA = 53
SMALLEST_EXPONENT = -1074


@dataclass(frozen=True)
class Weights:
    """Columns of weights [m, J] for the kernels, and how their J sums make up the totals."""

    words: Ints
    """As machine words; void where `wide`."""
    limbs: Bits
    """As limbs of 32 bits, [m, J, limbs]."""
    states: Bits
    """In which states an occurrence counts, [J]."""
    wide: bool
    """Some weight does not fit a machine word with room to spare: every window needs the exact kernel."""
    places: tuple[tuple[int, int | None], ...]
    """For each total the columns of its positive and of its negative part."""
    shifts: tuple[int, ...]
    """Each total is its number divided by 2**shift."""

    def totals(self, sums: list[Integers]) -> list[Integers]:
        """The plan's totals from the sums of the J columns."""
        return [sums[plus] if minus is None else sums[plus].minus(sums[minus]) for plus, minus in self.places]


def weights_of(
    totals: tuple[Total, ...], states_of: tuple[int, ...], columns: dict[str, pa.Array], vertices: int
) -> Weights:
    """The weights of m vertices for totals over states (bits); `columns[attribute]` holds their m values."""
    parts: list[Bits] = []
    states: list[int] = []
    places: list[tuple[int, int | None]] = []
    shifts: list[int] = []
    for total, bits in zip(totals, states_of, strict=True):
        positive, negative, shift = _parts(total, columns, vertices)
        places.append((len(parts), len(parts) + 1 if negative is not None else None))
        shifts.append(shift)
        for part in (positive, negative):
            if part is not None:
                parts.append(part)
                states.append(bits)
    width = max((part.shape[1] for part in parts), default=1)
    limbs = np.zeros((vertices, len(parts), width), dtype=np.uint64)
    for j, part in enumerate(parts):
        limbs[:, j, : part.shape[1]] = part
    words = limbs[:, :, 0].astype(np.int64)
    if width > 1:
        words |= (limbs[:, :, 1] << LIMB_BITS).astype(np.int64)
    wide = bool(limbs[:, :, 2:].any()) or bool(((words < 0) | (words >= LIMIT)).any())
    return Weights(
        np.ascontiguousarray(words), limbs, np.array(states, dtype=np.uint64), wide, tuple(places), tuple(shifts)
    )


def _parts(total: Total, columns: dict[str, pa.Array], vertices: int) -> tuple[Bits, Bits | None, int]:
    """Limbs of the positive part, of the negative part if there is one, and the shift."""
    if total.attribute is None:
        return np.ones((vertices, 1), dtype=np.uint64), None, 0
    values = columns[total.attribute]
    known = ~unknown(values)
    if total.values:
        return known.astype(np.uint64)[:, np.newaxis], None, 0
    if pa.types.is_floating(values.type):
        numbers = pc.fill_null(values, 0.0).to_numpy(zero_copy_only=False)
        numbers = np.where(np.isfinite(numbers), numbers, 0.0)  # the others are told by MIN and MAX
        negative = numbers < 0
        magnitudes, shift = _fractions(np.abs(numbers))
    else:
        whole = pc.fill_null(values.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
        negative = whole < 0
        magnitudes, shift = limbs_of(np.abs(whole)), 0
    if not negative.any():
        return magnitudes, None, shift
    sign = negative[:, np.newaxis]
    return np.where(sign, np.uint64(0), magnitudes), np.where(sign, magnitudes, np.uint64(0)), shift


def _fractions(magnitudes: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[Bits, int]:
    """Doubles >= 0 as integers in limbs, over 2**shift for the least shift that serves all.

    >>> _fractions(np.array([0.75, 2.0]))
    (array([[3],
           [8]], dtype=uint64), 2)
    """
    fractions, exponents = np.frexp(magnitudes)
    mantissas = (fractions * 2.0**MANTISSA).astype(np.int64)
    exponents = exponents.astype(np.int64) - MANTISSA
    nonzero = mantissas != 0
    if not nonzero.any():
        return np.zeros((len(magnitudes), 1), dtype=np.uint64), 0
    lowest = np.where(nonzero, mantissas & -mantissas, 1)
    trailing = np.frexp(lowest.astype(np.float64))[1].astype(np.int64) - 1
    mantissas >>= trailing
    exponents = np.where(nonzero, exponents + trailing, 0)
    shift = max(0, -int(exponents.min()))
    offsets = np.where(nonzero, exponents + shift, 0)
    place, within = offsets // 32, (offsets % 32).astype(np.uint64)
    words = mantissas.astype(np.uint64)
    low, high = (words & LIMB) << within, (words >> LIMB_BITS) << within
    pieces = [low & LIMB, (low >> LIMB_BITS) + (high & LIMB), high >> LIMB_BITS]
    pieces[2] += pieces[1] >> LIMB_BITS
    pieces[1] &= LIMB
    limbs = np.zeros((len(magnitudes), int(place.max()) + 3), dtype=np.uint64)
    rows = np.arange(len(magnitudes))
    for k, piece in enumerate(pieces):
        limbs[rows, place + k] = piece
    used = np.flatnonzero(limbs.any(axis=0))
    return limbs[:, : used[-1] + 1], shift
