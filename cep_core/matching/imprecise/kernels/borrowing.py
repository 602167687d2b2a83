"""Kernels that only borrow their arrays: compiled without reference counting.

Numba counts references to every array of a tuple argument, and to every array taken out of it, with atomic
instructions. In kernels called for each configuration of possible worlds, this took six sevenths of the time. A kernel
that neither makes nor returns an array needs no counts, because its caller holds all arrays. With `_nrt=False` (the
switch of Numba's runtime) Numba emits none. Such a kernel must not allocate, slice into a result, or call a function
that does. Numba refuses to compile an allocation, but it compiles called functions separately.
"""

from __future__ import annotations

from cep_core.inner_kernels import inner

borrowing = inner(_nrt=False)
"""Decorates a kernel that neither makes an array nor returns one, and that only kernels call."""
