"""A class decorator for nodes of trees: a node finds its hash once, and two nodes are found equal once.

Parts of formulas stand at many places: a hash or a comparison that looked at all places would cost far more than the
nodes, of which there are few. Two nodes that are equal take one step for each of their nodes, the next time one step.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar, cast

_Node = TypeVar("_Node")
_KEY, _EQUAL = "hash of the node", "node that is equal"


def _first_equal(node: Any) -> Any:
    """The node that stands for all that were found equal to this one."""
    while _EQUAL in vars(node):
        node = vars(node)[_EQUAL]
    return node


def hashed_once(kind: type[_Node]) -> type[_Node]:
    """The frozen dataclass, whose hash is kept with each node. A copy and a pickled node do not take it along.

    >>> from dataclasses import dataclass
    >>> @hashed_once
    ... @dataclass(frozen=True)
    ... class Leaf:
    ...     number: int
    >>> hash(Leaf(3)) == hash(Leaf(3)), Leaf(3) == Leaf(3), Leaf(3) == Leaf(4)
    (True, True, False)
    """
    own = fields(cast(Any, kind))
    names = [field.name for field in own]
    values = attrgetter(*(field.name for field in own if field.compare))

    def kept_hash(node: Any) -> int:
        notes = vars(node)
        if _KEY not in notes:
            notes[_KEY] = hash((kind.__name__, values(node)))
        return cast(int, notes[_KEY])

    def is_equal(node: Any, another: Any) -> bool:
        if node is another:
            return True
        if type(node) is not type(another):
            return NotImplemented
        if kept_hash(node) != kept_hash(another):
            return False
        first, second = _first_equal(node), _first_equal(another)
        if first is second:
            return True
        if values(node) != values(another):  # a frame of Python for each level, as formulas may be deep
            return False
        vars(second)[_EQUAL] = first
        return True

    def state(node: Any) -> dict[str, Any]:
        return {name: getattr(node, name) for name in names}

    for name, method in (("__hash__", kept_hash), ("__eq__", is_equal), ("__getstate__", state)):
        setattr(kind, name, method)
    return kind
