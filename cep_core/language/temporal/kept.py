"""What is derived from a formula is kept with its node: nodes never change, and are shared by formulas made of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from cep_core.language.temporal.formulas import Formula

_Derived = TypeVar("_Derived")


def kept(derive: Callable[[Formula], _Derived]) -> Callable[[Formula], _Derived]:
    """A function of a formula that is computed once for each node. Comparing, hashing and printing do not see this.

    >>> from cep_core.language.temporal.formulas import Not, Truth
    >>> @kept
    ... def size(formula: Formula) -> int:
    ...     print("computed")
    ...     return 1
    >>> formula = Truth(True)
    >>> size(formula), size(formula), formula == Truth(True)
    computed
    (1, 1, True)
    """
    key = f"{derive.__module__}.{derive.__qualname__}"

    @wraps(derive)
    def looked_up(formula: Formula) -> _Derived:
        notes = vars(formula)
        if key not in notes:
            notes[key] = derive(formula)
        return cast(_Derived, notes[key])

    return looked_up
