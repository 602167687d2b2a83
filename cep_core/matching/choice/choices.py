"""One row of a table of kernels: for which queries a kernel serves, what it costs, and how `explain` says it.

The first row of a table that applies to a query is chosen. The evaluator, `explain` and the script that compiles
kernels beforehand read the same tables (`answering`, `listings`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cep_core.matching.plan.match_plan import MatchPlan

Kernel = TypeVar("Kernel")


@dataclass(frozen=True)
class Choice(Generic[Kernel]):
    """A kernel for some queries."""

    applies: Callable[[MatchPlan], bool]
    words: Callable[[MatchPlan], str]
    """How the kernel works, for `explain`."""
    cost: str
    """In words."""
    formula: str
    """The same with n rows in a window, m last events or first events, E edges, and k matches of L events each."""
    kernel: Kernel
    example: str
    """A query over events A and B, with a number x, that the row serves."""


def chosen(table: Iterable[Choice[Kernel]], plan: MatchPlan) -> Choice[Kernel]:
    """The first row that applies."""
    return next(choice for choice in table if choice.applies(plan))
