"""The order in which a chain of AND is evaluated: by the rows that its conjuncts really have.

Relations that share variables are joined first, as `choice/table.py` says. A test is made as soon as a relation has
its variables, an equality binds its new variable as soon as it can, and what is negated is subtracted. Relations that
share nothing are combined last. Tests that may have no value wait for the rest (`plan/chains.py`). The order never
changes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cep_core.language.temporal.formulas import Comparison, Formula, Matches, Not
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.arrays.setting import TermSetting
from cep_core.monitoring.first_order.arrays.tests import assigned, filtered, matched
from cep_core.monitoring.first_order.choice.table import PRODUCT, Join, chosen
from cep_core.monitoring.first_order.operators.difference import difference
from cep_core.monitoring.first_order.plan.chains import (
    Test,
    always_has_value,
    assignment_of,
    bound_by,
    is_scalar,
)


@dataclass
class Conjunctions:
    """A chain under evaluation: relations that are not joined yet, and tests that are not made yet."""

    parts: list[Relation]
    tests: list[Test]
    setting: TermSetting
    relation_of: Callable[[Formula], Relation]
    """Evaluates what is negated."""

    def result(self) -> Relation:
        """The rows that satisfy the whole chain."""
        while True:
            self._make_ready_tests()
            if len(self.parts) > 1:
                kernel, members = chosen(self.parts)
                if kernel is not PRODUCT or not self._connect():
                    self._join(kernel, members)
            elif self.tests:
                self._make_next_test()
            else:
                return self.parts[0]

    def _make_ready_tests(self) -> None:
        """Makes the tests that raise no error: none overtakes an earlier one that may."""
        waiting: list[Test] = []
        blocked = False
        for test in self.tests:
            place = self._place_of(test, may_bind=not blocked or isinstance(test, Comparison))
            if not always_has_value(test):
                blocked = True
                waiting.append(test)
            elif place is None or (blocked and not bound_by(test, self.parts[place].variables)):
                waiting.append(test)
            else:
                self._make(test, place)
        made = len(waiting) < len(self.tests)
        self.tests = waiting
        if made:
            self._make_ready_tests()

    def _place_of(self, test: Test, *, may_bind: bool) -> int | None:
        """The part that has all variables of a test, or else one to which the test adds a variable."""
        needed = set(free_variables(test))
        for place, part in enumerate(self.parts):
            if needed <= set(part.variables):
                return place
        for place, part in enumerate(self.parts):
            if may_bind and bound_by(test, part.variables):
                return place
        return None

    def _connect(self) -> bool:
        """Makes an equality that may have no value, if the variable that it adds is one of another part."""
        for test in self.tests:
            for place, part in enumerate(self.parts):
                new = set(bound_by(test, part.variables))
                if any(new & set(part.variables) for part in self.parts):
                    self.tests.remove(test)
                    self._make(test, place)
                    return True
        return False

    def _join(self, kernel: Join, members: Sequence[int]) -> None:
        joined = kernel.join([self.parts[member] for member in members])
        self.parts = [joined, *(part for number, part in enumerate(self.parts) if number not in members)]

    def _make_next_test(self) -> None:
        for test in self.tests:
            if self._place_of(test, may_bind=True) is not None:
                self.tests.remove(test)
                self._make(test, 0)
                return
        unbound = set(free_variables(self.tests[0])) - set(self.parts[0].variables)
        raise TypeError(f"no conjunct binds {', '.join(sorted(unbound))}: the formula is not safe")

    def _make(self, test: Test, place: int) -> None:
        part = self.parts[place]
        if isinstance(test, Not) and not is_scalar(test):
            self.parts[place] = difference(part, self.relation_of(test.body))
            return
        new = bound_by(test, part.variables)
        if isinstance(test, Matches) and new:
            self.parts[place] = matched(part, test, self.setting)[0]
        elif isinstance(test, Comparison) and new:
            assignment = assignment_of(test, part.variables)
            assert assignment is not None
            self.parts[place] = assigned(part, *assignment, self.setting)
        else:
            self.parts[place] = filtered(part, test, self.setting)
