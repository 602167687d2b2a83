"""What an evaluation of a stretch of a log knows of the points before it.

A past operator without bounds looks at all earlier points. Where a log is evaluated block by block (`blocks.py`), the
rows for which such an operator holds just before a block are carried over in their place. All is known by shape
(`plan/shapes.py`): subformulas that differ in names only have one entry. Cost: one union for each such operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.walk import walk
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.operators.union import union
from cep_core.monitoring.first_order.plan.shapes import shape_of


@dataclass(frozen=True)
class EarlierPoints:
    """What is known of earlier points, by shape.

    `begins`: the past operators without bounds, and the point from which their operands are looked at. `carried`: the
    valuations for which such an operator holds just before this point, at the run of one point before it. `exact`: the
    points at which a conjunction or an aggregation is evaluated, where its operands are exact; others: all points.
    """

    begins: Mapping[Formula, int] = field(default_factory=dict)
    carried: Mapping[Formula, Relation] = field(default_factory=dict)
    exact: Mapping[Formula, tuple[int, int]] = field(default_factory=dict)

    def continued(self, formula: Formula, operand: Relation, points: int) -> Relation:
        """The operand of a past operator without bounds; what was carried stands for the points that it passes over.

        `points`: how many there are in all. Operands of other operators are given back as they are.
        """
        if not self.begins:
            return operand
        shape, names = shape_of(formula)
        if shape not in self.begins:
            return operand
        recent = operand.between(self.begins[shape], points)
        carried = self.carried.get(shape)
        return recent if carried is None else union(recent, carried.renamed(names))

    def where_exact(self, formula: Formula, operand: Relation) -> Relation:
        """An operand at the points at which the formula is evaluated: elsewhere a term may have no value."""
        return operand.between(*self.exact[shape_of(formula)[0]]) if self.exact else operand

    def is_carried(self, source: Formula) -> bool:
        """Whether a part of the formula is carried over, so that its whole relation is needed."""
        return bool(self.begins) and any(shape_of(part)[0] in self.begins for part in walk(source))
