"""The comparisons of the language as Python's functions: of two values, or of an array and a value."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
