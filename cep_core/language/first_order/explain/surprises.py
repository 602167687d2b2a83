"""What is valid in a policy but may surprise its author."""

from __future__ import annotations

from cep_core.language.first_order.policy import Policy
from cep_core.language.temporal.formulas import Aggregation, Formula, Predicate
from cep_core.language.temporal.walk import walk

_COUNTING = ("CNT", "SUM", "AVG", "MED")
"""Aggregations whose result depends on how many equal values there are."""


def warnings_of(policy: Policy) -> list[str]:
    """Aggregations over events that differ in nothing that the policy names: they count once.

    An aggregation ranges over distinct valuations (`docs/semantics.md` 5). Only `seq` is sure to keep events apart.
    """
    warnings = [
        f"{part.result.name} <- {part.function} {part.item.name} counts events with equal arguments once: "
        "name seq in an atom, as in P(x=x, seq=s), to keep them apart"
        for part in walk(policy.formula)
        if isinstance(part, Aggregation) and part.function in _COUNTING and not _names_a_key(part.body)
    ]
    return list(dict.fromkeys(warnings))


def _names_a_key(body: Formula) -> bool:
    return any(isinstance(part, Predicate) and "seq" in (part.names or ()) for part in walk(body))
