"""The core formula of a policy: sugar removed, and, unless told not to, rewritten until it is safe.

Rules are equalities, applied from the outside in and only where a formula is unsafe in its place, so a safe formula
stays as its author wrote it. This follows the propagation of Mueller's thesis (5.3.4), which MonPoly implements: what
binds variables on the left of an AND is repeated beside what lacks them on the right, with the temporal operator that
looks back from there. We go further in three ways: conjuncts are put in order, the left side of SINCE and UNTIL is
bound by the right one, and only the conjuncts that bind what is lacking are repeated. We do not compute terms ahead
(`safety`). What cannot be made safe is returned as far as it came, for `check_safe` to refuse.

Rewritten formulas may look ahead where the policy does not: `P(x) AND ONCE[0,5] NOT Q(x)` asks at each point for a P
up to 5 later. It is the point that is decided which the rule repeats, so no later event changes a verdict, and what is
decided (`reach`) is a matter of the policy as written. Cost: repeated parts are one node, rewritten and evaluated once.
"""

from __future__ import annotations

from collections.abc import Callable

from cep_core.language.first_order.rewriting.conjunct_order import conjuncts_in_order
from cep_core.language.first_order.rewriting.double_negation import without_double_negation
from cep_core.language.first_order.rewriting.into_disjunction import disjuncts_bound
from cep_core.language.first_order.rewriting.into_negation import negation_bound
from cep_core.language.first_order.rewriting.into_neighbour import neighbour_bound
from cep_core.language.first_order.rewriting.into_quantifier import quantified_body_bound
from cep_core.language.first_order.rewriting.into_since import right_side_bound
from cep_core.language.first_order.rewriting.into_window import window_bound
from cep_core.language.first_order.rewriting.left_side import left_side_bound
from cep_core.language.first_order.rewriting.negated_conjunction import negated_conjunction_split
from cep_core.language.first_order.rewriting.negated_disjunction import negated_disjunction_split
from cep_core.language.first_order.rewriting.unused_quantifiers import without_unused_variables
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.temporal.formulas import And, Formula, Not, Since, Until
from cep_core.language.temporal.shared_nodes import SharedNodes
from cep_core.language.temporal.sugar import without_sugar
from cep_core.language.temporal.walk import with_operands

RULES: tuple[Callable[[Formula], Formula | None], ...] = (
    without_double_negation,
    negated_disjunction_split,
    negated_conjunction_split,
    conjuncts_in_order,
    left_side_bound,
    disjuncts_bound,
    negation_bound,
    quantified_body_bound,
    neighbour_bound,
    window_bound,
    right_side_bound,
)
"""The rules in the order in which they are tried on an unsafe formula. Each returns None where it does not apply."""


def core_of(formula: Formula, *, rewrite: bool = True) -> Formula:
    """The core formula of a resolved formula without LET; `rewrite=False` is MonPoly's `-no_rw`.

    >>> from cep_core.language.first_order.text.parsing import parse
    >>> from cep_core.language.first_order.text.printing import formula_text
    >>> written = parse("FORALL x. P(x) IMPLIES Q(x)", "p.mfotl").formula
    >>> print(formula_text(core_of(written, rewrite=False)))
    NOT (EXISTS x. NOT (NOT P(x) OR Q(x)))
    >>> print(formula_text(core_of(written)))
    NOT (EXISTS x. (P(x) AND NOT Q(x)))
    """
    plain = without_unused_variables(without_sugar(formula))
    return rewritten(plain) if rewrite else plain


def rewritten(formula: Formula) -> Formula:
    """A core formula after the rules; itself if it is safe."""
    return _Rewriting().rewritten(formula)


class _Rewriting:
    """The rules on one formula. Equal parts are one node, and each is rewritten once."""

    def __init__(self) -> None:
        self._shared = SharedNodes()
        self._done: dict[int, Formula] = {}

    def rewritten(self, formula: Formula) -> Formula:
        begun = formula = self._shared.node(formula)
        while id(begun) not in self._done:
            changed = formula
            if not is_safe(formula):
                changed = self._shared.node(_applied(formula) or self._with_operands_rewritten(formula))
            if changed == formula:
                self._done[id(begun)] = formula
            formula = changed
        return self._done[id(begun)]

    def _with_operands_rewritten(self, formula: Formula) -> Formula:
        def changed(operand: Formula) -> Formula:
            if isinstance(operand, Not) and goes_with:
                return with_operands(operand, self.rewritten)
            return self.rewritten(operand)

        goes_with = isinstance(formula, And | Since | Until)
        return with_operands(formula, changed)


def _applied(formula: Formula) -> Formula | None:
    """The formula after the first rule that applies to it, or to a NOT that stands in it as an operand."""
    for rule in RULES:
        changed = rule(formula) or _on_negated_operands(formula, rule)
        if changed is not None:
            return changed
    return None


def _on_negated_operands(formula: Formula, rule: Callable[[Formula], Formula | None]) -> Formula | None:
    """A NOT to the right of AND, or to the left of SINCE and UNTIL, is no formula of its own: it goes with them."""

    def changed(operand: Formula) -> Formula:
        return (rule(operand) or operand) if isinstance(operand, Not) else operand

    if not isinstance(formula, And | Since | Until):
        return None
    after = with_operands(formula, changed)
    return None if after == formula else after
