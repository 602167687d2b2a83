"""Kernels that only other kernels call: compiled without the code by which Python calls them.

Numba adds two functions to every kernel that it compiles: one takes Python's objects apart and calls the kernel, one
stands for calls from C. For a kernel whose arguments are tuples of many arrays they are longer than the kernel itself:
of all instructions of the shedding kernels they were half. Most kernels are called by kernels alone and need neither.

Cost: nothing at run time. A call from Python fails with a clear answer; without `KernelsOnly` the process would die.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numba import njit
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral


class KernelsOnly(CPUDispatcher):
    """A compiled function that Python cannot call."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        name = self.py_func.__name__
        raise TypeError(
            f"only kernels call {name}: call {name}.py_func, or declare it with @njit(cache=True) in place of @inner"
        )

    def get_call_template(self, types: Any, named: Any) -> Any:
        """Of a call with the number 1, Numba takes 1 for the type of the argument, and compiles the called kernel once
        more, to the same code as for any integer: up to eight times. Here the type is that of the number."""
        plain = {name: unliteral(kind) for name, kind in dict(named).items()}
        return super().get_call_template(tuple(map(unliteral, types)), plain)


def inner(kernel: Any = None, *, _nrt: bool = True, **options: bool) -> Any:
    """Decorates a kernel that only kernels call. Further options are those of `numba.njit`.

    >>> from cep_core.numbers.words import product
    >>> product(2, 3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    TypeError: only kernels call product: ...
    >>> int(product.py_func(2, 3))
    6
    """
    if kernel is None:
        return partial(inner, _nrt=_nrt, **options)
    compiled = njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=_nrt, **options)(kernel)
    compiled.__class__ = KernelsOnly
    return compiled


borrowing = inner(_nrt=False)
"""Decorates a kernel that only kernels call, and that borrows its arrays: it neither makes an array nor returns one.

Numba counts the users of every array of a tuple argument, and of every array taken out of it, each with a call. In a
small kernel with a state of many arrays this takes six sevenths of the time. A kernel that only borrows needs no
counts, because its caller holds all arrays. With `_nrt=False` (the switch of Numba's runtime) Numba emits none. It
refuses to compile an allocation in such a kernel. An inner kernel that counts may allocate, and may be called, but must
not give the array back.
"""
