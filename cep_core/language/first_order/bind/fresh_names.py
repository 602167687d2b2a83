"""Names for bound variables, so that no name is bound twice or both free and bound."""

from __future__ import annotations

from collections.abc import Iterable


class FreshNames:
    """Gives every bound variable a name of its own, as near to the written name as possible.

    >>> names = FreshNames(["x"])
    >>> names.fresh("y"), names.fresh("x"), names.fresh("y"), names.fresh("x_2"), names.fresh("_")
    ('y', 'x_2', 'y_2', 'x_3', 'any')
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._last: dict[str, int] = {}
        self._bases: dict[str, str] = {}
        """The name as written of each name that was given."""

    def fresh(self, name: str) -> str:
        """The name itself if it is not taken, else with the next number behind it."""
        base = self._bases.get(name, name.lstrip("_") or "any")
        if not base[0].isalpha():
            base = f"v{base}"
        candidate, number = base, self._last.get(base, 1)
        while candidate in self._taken:
            number += 1
            candidate = f"{base}_{number}"
        self._last[base] = number
        self._bases[candidate] = base
        self._taken.add(candidate)
        return candidate

    def written(self, name: str) -> str:
        """The name for which a name was given; a name that was not given here is as written."""
        return self._bases.get(name, name)
