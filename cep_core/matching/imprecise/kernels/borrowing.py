"""Kernels that borrow what they are given: compiled without counting references.

Numba counts references to every array of a tuple that a function is given or takes out of it, with atomic instructions:
in kernels that are called for each configuration of possible worlds that was six sevenths of the time. A kernel that
makes no array and returns none needs no count, since its caller holds them all; Numba then emits none (`_nrt`, the
switch of its runtime). Such a kernel must not allocate, slice into a result, or call what does: Numba refuses to
compile the first, and what it calls is compiled on its own.
"""

from __future__ import annotations

from numba import njit

borrowing = njit(cache=True, _nrt=False)
"""Decorates a kernel that neither makes an array nor returns one."""
