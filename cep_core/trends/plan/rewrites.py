"""The rewrites of a plan before it is counted, in one list, each with its sentence for `explain`.

A pattern becomes diagrams with one path for each binding (`terms`), which are split by the keys that a trend has
(`escaping`). A condition between neighbours becomes edges that exclude each other (`alternatives`). A negation guards
edges, starts and ends (`guards`). Each rewrite keeps the number of trends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import NamedTuple

from cep_core.trends.plan.trend_plan import TrendPlan


class Of(Enum):
    """The part of a plan that is rewritten. `explain` prints diagrams before the kernels, and guards after them."""

    DIAGRAM = "diagram"
    GUARDS = "guards"


class Rewrite(NamedTuple):
    """One change of a plan."""

    of: Of
    applies: Callable[[TrendPlan], bool]
    words: Callable[[TrendPlan], str]


def rewrites_of(plan: TrendPlan, of: Of) -> list[str]:
    """The sentences of `explain` about the rewrites of a plan, in order."""
    return [rewrite.words(plan) for rewrite in REWRITES if rewrite.of is of and rewrite.applies(plan)]


def counts_added(plans: int) -> str:
    """The sentence of `explain` about a pattern that is counted by several plans."""
    return f"{plans} counts added and taken off: a binding that several readings allow counts once"


def _edges(plan: TrendPlan, edges: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{plan.names[source]} -> {plan.names[target]}" for source, target in edges)


def _one_path(plan: TrendPlan) -> str:
    return f"one path for each binding: {len(plan.names)} states for {len(set(plan.variables))} variables"


def _excused(plan: TrendPlan) -> str:
    return (
        f"negation that what precedes it excuses, between events ({_edges(plan, plan.excused)}): when the first "
        "negated match ends that follows an earlier event unexcused is compared with the later event's time"
    )


def _cut(plan: TrendPlan) -> str:
    excusable = not all(negated.ends_free for negated in plan.guarded.forbidden)
    return (
        f"negation between events ({_edges(plan, plan.cut)}): a negated match that ended makes the sum forget what "
        "came before its start; what came since is entered again"
        + (", and all of it once the match is excused" if excusable else "")
    )


REWRITES: tuple[Rewrite, ...] = (
    Rewrite(Of.DIAGRAM, lambda plan: plan.guarded.diagram.repeats(), _one_path),
    Rewrite(Of.GUARDS, lambda plan: bool(plan.excused), _excused),
    Rewrite(Of.GUARDS, lambda plan: bool(plan.cut), _cut),
    Rewrite(
        Of.GUARDS,
        lambda plan: bool(plan.guarded.before),
        lambda plan: "negation before a trend: none begins after the first negated match of a window has ended",
    ),
    Rewrite(
        Of.GUARDS,
        lambda plan: bool(plan.guarded.after),
        lambda plan: "negation after a trend: none ends before the last negated match of a window begins",
    ),
)
