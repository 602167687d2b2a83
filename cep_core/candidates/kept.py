"""Values that are kept for an object as long as the object lives, whether or not it can be hashed."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """A value for each of some objects. A value must not hold its object, or neither would ever go.

    >>> class Log: pass
    >>> made, log = Kept(), Log()
    >>> made.of(log, lambda own: [1]) is made.of(log, lambda own: [2]), len(made)
    (True, 1)
    >>> del log
    >>> len(made)
    0
    """

    def __init__(self) -> None:
        self._values: dict[int, tuple[weakref.ref[Any], Value]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def find(self, owner: Any) -> Value | None:
        """The value of an object, if it has one."""
        kept = self._values.get(id(owner))
        return None if kept is None else kept[1]

    def of(self, owner: Any, make: Callable[[Any], Value]) -> Value:
        """The value of an object, made when it is first asked for."""
        number = id(owner)
        kept = self._values.get(number)
        if kept is None:
            kept = weakref.ref(owner, lambda _: self._values.pop(number, None)), make(owner)
            self._values[number] = kept
        return kept[1]
