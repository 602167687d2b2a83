"""What stands in the way of matches: the number of matches of the query without each of its conditions.

Cost: one evaluation of the query for each condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from cep_core.engines import evaluator_of
from cep_core.language.budget import Budget, WorkExhausted
from cep_core.language.errors import QueryError
from cep_core.language.evaluator import Evaluator
from cep_core.language.patterns.query import Query
from cep_core.language.settings import Settings
from cep_core.matching.why.relaxed import relaxations


@dataclass(frozen=True)
class Obstacle:
    """A condition, and the matches that there are without it; `matches` is None if the budget of work is too small."""

    condition: str
    matches: int | None
    exact: bool
    """Whether `matches` is the total, and not only a number that the total reaches."""


def obstacles(
    query: Query, events: pa.Table, evaluate: Callable[[Evaluator], pa.Table], budget: Budget
) -> Iterator[Obstacle]:
    """An obstacle for each condition that can be left out, in the order of the query.

    `evaluate` gives the merged rows of an evaluator over `events`, which are in (ts, seq) order.
    """
    span = events["ts"][-1].as_py() - events["ts"][0].as_py() + 1 if events.num_rows else 1
    for condition, relaxed in relaxations(query, max(span, events.num_rows)):
        try:
            metadata = evaluate(evaluator_of(relaxed, Settings(1, budget=budget))).schema.metadata
        except QueryError:
            continue  # no engine can evaluate the query without this condition
        except WorkExhausted:
            yield Obstacle(condition, None, exact=False)
            continue
        total = metadata.get(b"matches_total")
        yield Obstacle(condition, int(total or metadata[b"matches_at_least"]), exact=total is not None)
