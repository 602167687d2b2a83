"""Numbers of the kernels that walk many windows at once, with as many limbs as they need, the lowest first.

A limb is a word of which only the lowest bits are used. The bits above are room for summands, so sums are taken word by
word, and carries are done once for each vertex. While all numbers are small, there is one limb: a machine word. A count
is never a float.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Bits
from cep_core.inner_kernels import inner
from cep_core.numbers.integers import Integers
from cep_core.numbers.limb_rows import Part
from cep_core.numbers.limb_words import LIMB, LIMB_BITS

MOST_BITS = 63


def bits_of_limbs(summands: int, weights: Bits) -> int:
    """The number of bits used in a limb, if up to `summands` limbs are added, and counts are multiplied by `weights`.

    A limb times a limb of a weight leaves room for the sum that it is added to. If weights have several limbs, these
    have 32 bits, and so have the limbs of all numbers. Raises OverflowError for 2**31 summands or more.

    >>> bits_of_limbs(1000, np.zeros((5, 0, 1), np.uint64)), bits_of_limbs(1000, np.full((5, 1, 1), 40_000, np.uint64))
    (53, 47)
    """
    widest = LIMB_BITS if weights.shape[2] > 1 else np.uint64(int(weights.max(initial=0)).bit_length())
    bits = max(int(LIMB_BITS), MOST_BITS - max(int(widest), summands.bit_length()))
    if bits + summands.bit_length() > MOST_BITS:
        raise OverflowError(f"a window sums up more than {1 << (MOST_BITS - bits):,} numbers")
    return bits


def integers_of(limbs: Bits, bits: int = 32) -> Integers:
    """A column of integers from limbs [n, limbs], lowest first.

    >>> integers_of(np.array([[5, 0, 0], [0, 0, 1]], dtype=np.uint64)).to_list()
    [5, 18446744073709551616]
    >>> integers_of(np.array([[1, 3]], dtype=np.uint64), bits=50).to_list() == [3 * 2**50 + 1]
    True
    """
    words = _in_words(limbs, bits)
    high = words[:, 1]
    fits = ~words[:, 2:].any(axis=1) & (high < np.uint32(1 << 30))
    small = np.where(fits, words[:, 0] | (high.astype(np.uint64) << LIMB_BITS), np.uint64(0)).astype(np.int64)
    rows = np.flatnonzero(~fits)
    width = 4 * words.shape[1]
    together = np.ascontiguousarray(words[rows]).tobytes()
    large = {
        row: int.from_bytes(together[n * width : (n + 1) * width], "little") for n, row in enumerate(rows.tolist())
    }
    return Integers(small, large)


def _in_words(limbs: Bits, bits: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint32]]:
    """Limbs of any width as words of 32 bits. There are at least two words."""
    rows, count = limbs.shape
    words = np.zeros((rows, max(2, count * bits // 32 + 3)), dtype=np.uint64)
    for k in range(count):
        place, within = divmod(k * bits, 32)
        low, high = (limbs[:, k] & LIMB) << np.uint64(within), (limbs[:, k] >> LIMB_BITS) << np.uint64(within)
        words[:, place] |= low & LIMB
        words[:, place + 1] |= (low >> LIMB_BITS) | (high & LIMB)
        words[:, place + 2] |= high >> LIMB_BITS
    return words.astype("<u4")


@inner
def settle(numbers: Bits, row: int, carry: Bits, bits: int, part: Part) -> tuple[bool, bool]:
    """Carry the bits above `bits` of each limb into the next limb, in a part of a row.

    Returns whether any number is not 0, and whether `carry` still holds bits that need one more limb.
    """
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    shift = np.uint64(bits)
    any_bits = np.uint64(0)
    if part.limbs == 1:
        for x in range(part.begin, part.end):
            any_bits |= numbers[row, x]
        if any_bits <= mask:
            return any_bits != 0, False
    for x in range(part.begin, part.end):
        carry[x] = 0
    offset = np.uint64(0)
    for _ in range(part.limbs):
        for x in range(part.begin, part.end):
            word = numbers[row, offset + x] + carry[x]
            any_bits |= word
            numbers[row, offset + x] = word & mask
            carry[x] = word >> shift
        offset += part.stride
    remaining = np.uint64(0)
    for x in range(part.begin, part.end):
        remaining |= carry[x]
    return any_bits != 0, remaining != 0


@inner
def grow(numbers: Bits, row: int, carry: Bits, part: Part) -> Part:
    """Add the bits that `settle` left in `carry` as one more limb, in a part of a row. Returns the larger part."""
    offset = part.stride * np.uint64(part.limbs)
    for x in range(part.begin, part.end):
        numbers[row, offset + x] = carry[x]
    return Part(part.limbs + 1, part.stride, part.begin, part.end, part.least_begin, part.least_end)


@inner
def add_product(
    numbers: Bits, row: int, number: int, count: int, stride: int, limbs: int, weight: Bits, bits: int
) -> int:
    """Add weight times the settled number at `count` to the number at `number`. Both have `limbs` limbs.

    Returns the number of limbs that the row needs. The row is not settled. Limbs without room are not written.
    """
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    shift = np.uint64(bits)
    room = numbers.shape[1] // stride
    taken = limbs
    for k in range(weight.shape[0]):
        if weight[k] == 0:
            continue
        for q in range(limbs):
            word = numbers[row, count + q * stride] * weight[k]
            if word == 0:
                continue
            high = word >> shift
            taken = max(taken, q + k + (1 if high == 0 else 2))
            if q + k < room:
                numbers[row, number + (q + k) * stride] += word & mask
            if high != 0 and q + k + 1 < room:
                numbers[row, number + (q + k + 1) * stride] += high
    return taken
