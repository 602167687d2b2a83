"""One row of a table of kernels: the queries it serves, its cost, and its description for `explain`.

The first row of a table that applies to a query is chosen. The evaluator, `explain` and the script that compiles
kernels in advance read the same tables (`answering`, `listings`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cep_core.matching.plan.match_plan import MatchPlan

Kernel = TypeVar("Kernel")


@dataclass(frozen=True)
class Choice(Generic[Kernel]):
    """A kernel, and the queries that it serves."""

    applies: Callable[[MatchPlan], bool]
    words: Callable[[MatchPlan], str]
    """The description of the kernel, for `explain`."""
    cost: str
    """The cost in words."""
    formula: str
    """The cost with n rows in a window, m last events or first events, E edges, and k matches of L events each."""
    kernel: Kernel
    example: str
    """A query that the row serves, over events A and B with a number x."""


def chosen(table: Iterable[Choice[Kernel]], plan: MatchPlan) -> Choice[Kernel]:
    """The first row of the table that applies."""
    return next(choice for choice in table if choice.applies(plan))
