"""Choices within a draw.

A strategy that is made within a draw is looked through anew each time, which takes longer than drawing from it; it is
garbage in cycles besides. So the strategies here are made once for each number of choices.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st

_Choice = TypeVar("_Choice")


def chosen(draw: st.DrawFn, choices: Iterable[_Choice]) -> _Choice:
    """One of the choices, as `sampled_from` draws it: it shrinks to the first. There must be one."""
    known = tuple(choices)
    return known[draw(_places(len(known)))]


@cache
def _places(number: int) -> st.SearchStrategy[int]:
    return st.sampled_from(range(number))
