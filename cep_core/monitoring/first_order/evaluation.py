"""Evaluates a core formula on a log: the points and valuations that satisfy it (paper 01, figure 1).

Each subformula becomes a relation over runs of points (`arrays/relation.py`), made from its operands' relations by one
operator (`operators/`); chains of AND are ordered by what their conjuncts have (`choice/conjunctions.py`). Subformulas
that differ in names only are evaluated once. The log is closed by one empty point that is far from all others and is
not reported (`docs/semantics.md` 5); only future operators without an upper end see it, so others do without it.

Costs: each operator but AND and aggregation is linear in its rows in and out, and a metric operator adds O(points).
Lengths of intervals, values and lengths of runs cost nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import takewhile

import numpy as np

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.first_order.safety.fragment import is_never
from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Comparison,
    Eventually,
    Exists,
    Formula,
    Matches,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Since,
    Truth,
    Until,
)
from cep_core.language.temporal.terms import Constant, Variable
from cep_core.language.temporal.walk import free_variables, walk
from cep_core.monitoring.first_order.arrays.relation import Relation, nothing, truth
from cep_core.monitoring.first_order.arrays.scan import empty_column
from cep_core.monitoring.first_order.arrays.setting import TermSetting
from cep_core.monitoring.first_order.arrays.tests import filtered
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.arrays.variable_types import variable_types
from cep_core.monitoring.first_order.choice.aggregation import aggregated
from cep_core.monitoring.first_order.choice.conjunctions import Conjunctions
from cep_core.monitoring.first_order.choice.event_rows import AskedAtom, EventRows, Recorder
from cep_core.monitoring.first_order.earlier_points import EarlierPoints
from cep_core.monitoring.first_order.operators.normal import merged
from cep_core.monitoring.first_order.operators.since import since, until
from cep_core.monitoring.first_order.operators.steps import nextly, previously
from cep_core.monitoring.first_order.operators.timeline import Timeline
from cep_core.monitoring.first_order.operators.union import projection, union
from cep_core.monitoring.first_order.operators.windows import eventually, once
from cep_core.monitoring.first_order.plan.atom_below import atom_below
from cep_core.monitoring.first_order.plan.chains import Chain, Test, always_has_value, chain_of, is_complete, is_scalar
from cep_core.monitoring.first_order.plan.shapes import shape_counts, shape_of

_CLOSING_STAMP = 2**63 - 1
_STEPS = {Prev: previously, Next: nextly, Once: once, Eventually: eventually}
_BINARY = {Since: since, Until: until}


def satisfied(
    formula: Formula,
    log: PointLog,
    types: Mapping[str, AttributeType],
    *,
    recorder: Recorder | None = None,
    texts: Texts | None = None,
) -> tuple[Relation, Texts]:
    """The satisfactions of a core formula, in normal form, and the dictionary of its texts.

    Columns are in the order of `free_variables(formula)`. `types`: of the variables, if known; the log's columns tell
    the rest. `texts`: a dictionary to go on with. Raises `EvaluationError` where a term has no value.

    >>> import pyarrow as pa
    >>> from cep_core.events.logs.point_log import TypedEvents
    >>> from cep_core.language.temporal.interval import Interval
    >>> log = PointLog(np.array([1, 4, 8]), {"P": TypedEvents(np.array([0]), {"a": pa.array(["u"])})})
    >>> formula = Once(Interval(0, 5), Predicate("P", (Variable("x"),), ("a",)))
    >>> relation, texts = satisfied(formula, log, {})
    >>> relation.variables, texts.text(0), relation.begin.tolist(), relation.end.tolist()
    (('x',), 'u', [0], [2])
    """
    evaluation = Evaluation(formula, log, types, recorder=recorder, texts=texts)
    relation = evaluation.relation_of(formula).of_variables(free_variables(formula))
    return relation.between(0, log.points), evaluation.setting.texts


class Evaluation:
    """A formula under evaluation on a log, with the relations of the shapes that are done."""

    def __init__(
        self,
        formula: Formula,
        log: PointLog,
        types: Mapping[str, AttributeType],
        *,
        recorder: Recorder | None = None,
        texts: Texts | None = None,
        earlier: EarlierPoints | None = None,
    ) -> None:
        closing = any(
            isinstance(part, Next | Eventually | Until) and not part.interval.is_bounded for part in walk(formula)
        )
        stamps = np.append(log.stamps, _CLOSING_STAMP) if closing else log.stamps
        self.log = log
        self.earlier = earlier or EarlierPoints()
        self.timeline = Timeline(stamps, far=log.points if closing else -1)
        self.setting = TermSetting(Texts() if texts is None else texts, stamps, variable_types(formula, log, types))
        self.uses = shape_counts(formula)
        self.done: dict[Formula, Relation] = {}
        self.rows = EventRows(log, self.timeline, self.setting, recorder)
        self.recorder = recorder
        self.operand_rows: list[list[int]] = [[]]

    def relation_of(self, formula: Formula) -> Relation:
        """The relation of a subformula, from a formula of its shape if there was one."""
        shape, names = shape_of(formula)
        if shape in self.done:
            relation = self.done[shape].renamed(names)
            self.operand_rows[-1].append(relation.rows)
            return relation
        relation = self._recorded(formula, lambda: self._evaluated(formula))
        if self.uses[shape] > 1 or shape in self.earlier.begins:
            self.done[shape] = relation.renamed({name: number for number, name in names.items()})
        return relation

    def _recorded(self, formula: Formula, evaluate: Callable[[], Relation]) -> Relation:
        self.operand_rows.append([])
        relation = evaluate()
        rows_in = self.operand_rows.pop()
        if self.recorder is not None:
            self.recorder(formula, rows_in, relation.rows)
        self.operand_rows[-1].append(relation.rows)
        return relation

    def _evaluated(self, formula: Formula) -> Relation:
        match formula:
            case Truth(value=value):
                return truth(self.timeline.points) if value else nothing(())
            case Predicate():
                self.operand_rows[-1].append(self.rows.count(formula))
                return merged(self.rows.of_atom(formula))
            case Not() if is_never(formula):
                variables = free_variables(formula)
                return nothing(variables, [empty_column(self.setting.types.get(name)) for name in variables])
            case And() | Not() | Comparison() | Matches():
                return self._chain(formula)
            case Or(left=left, right=right):
                return union(self.relation_of(left), self.relation_of(right))
            case Exists(variables=hidden, body=body):
                return self._projected(formula, body, hidden)
            case Prev() | Next() | Once() | Eventually():
                operand = self.earlier.continued(formula, self.relation_of(formula.body), self.timeline.points)
                return _STEPS[type(formula)](operand, formula.interval, self.timeline)
            case Since(interval=interval, left=left, right=right) | Until(interval=interval, left=left, right=right):
                negated = isinstance(left, Not)
                held = self.relation_of(left.body if isinstance(left, Not) else left)
                operator = _BINARY[type(formula)]
                begun = self.earlier.continued(formula, self.relation_of(right), self.timeline.points)
                return operator(held, begun, interval, self.timeline, negated=negated)
            case Aggregation():
                operand = self.earlier.where_exact(formula, self.relation_of(formula.body))
                return self.earlier.where_exact(formula, aggregated(operand, formula, self.setting))
        raise TypeError(f"{type(formula).__name__} is no node of a core formula")

    def _projected(self, formula: Formula, body: Formula, hidden: Collection[str]) -> Relation:
        """EXISTS: hidden variables are left out as early as they may be, if the body stands nowhere else."""
        if self._uses(body) > self._uses(formula):
            return projection(self.relation_of(body), hidden)
        if isinstance(body, And):
            return projection(self._recorded(body, lambda: self._chain(body, hidden)), hidden)
        if asked := self._asked(body, frozenset(hidden)):
            [relation] = self.rows.relations([asked], {})
            self.operand_rows[-1].append(relation.rows)
            return relation
        return projection(self.relation_of(body), hidden)

    def _asked(self, source: Formula, unseen: frozenset[str]) -> AskedAtom | None:
        """The atom of a source that is nothing else, if nothing is carried over of the points before."""
        below = atom_below(source)
        if below is None or is_built_in(below.atom) or self.earlier.is_carried(source):
            return None
        return AskedAtom(source, below, unseen)

    def _chain(self, formula: Formula, hidden: Collection[str] = ()) -> Relation:
        """The relation of a formula as a chain of AND; without `hidden` variables if that costs less."""
        return self._conjunction(chain_of(formula, self._is_apart), formula, hidden)

    def _is_apart(self, part: And, whole: And) -> bool:
        """Whether a conjunct that is an AND stands at other places, too, so that its own relation is needed."""
        return self._uses(part) > self._uses(whole) and is_complete(chain_of(part))

    def _uses(self, formula: Formula) -> int:
        return self.uses[shape_of(formula)[0]]

    def _conjunction(self, chain: Chain, formula: Formula, hidden: Collection[str] = ()) -> Relation:
        """The rows of a chain; `hidden` variables that one conjunct alone has may be left out."""
        sources = [source for source in dict.fromkeys(chain.sources) if source != Truth(True)]
        unseen = _unseen(sources, chain, hidden)
        parts = self._parts(sources, _constants(chain), unseen) if sources else [truth(self.timeline.points)]
        tests = list(chain.tests)
        exact = [self._tested(self.earlier.where_exact(formula, part), tests) for part in parts]
        return Conjunctions(exact, tests, self.setting, self.relation_of).result()

    def _tested(self, part: Relation, tests: list[Test]) -> Relation:
        """The rows of a conjunct that pass the tests that it has the variables of; these need not be made again.

        So what they exclude takes no memory while the other conjuncts are evaluated.
        """
        for test in list(takewhile(always_has_value, tests)):
            if is_scalar(test) and set(free_variables(test)) <= set(part.variables):
                part = filtered(part, test, self.setting)
                tests.remove(test)
        return part

    def _parts(
        self, sources: Sequence[Formula], constants: Mapping[str, Constant], unseen: Sequence[frozenset[str]]
    ) -> Iterator[Relation]:
        """The relations of the conjuncts; those of atoms without rows that the chain does not need.

        These are atoms with variables that are constants or unseen, and if there are many events, all that are needed
        only here. Other conjuncts come first, since their rows tell which events meet any.
        """
        pairs = zip(sources, unseen, strict=True)
        asked = [part for source, own in pairs if (part := self._asked(source, own))]
        single = [part for part in asked if part.source == part.below.atom or self._uses(part.source) == 1]
        if not self.rows.are_many(single):
            known = [part for part in asked if constants.keys() & {*free_variables(part.source)}]
            beside = len(asked) < len(sources)
            few = [part for part in single if part.unseen or (beside and self.rows.are_many([part], fewest=1))]
            single = [part for part in few if part not in known] + known
        of_atoms = {part.source: number for number, part in enumerate(single)}
        pairs = zip(sources, unseen, strict=True)
        others = {source: projection(self.relation_of(source), own) for source, own in pairs if source not in of_atoms}
        relations = self.rows.relations(single, constants, list(others.values()))
        self.operand_rows[-1].extend(relation.rows for relation in relations)
        for source in sources:
            yield relations[of_atoms[source]] if source in of_atoms else others[source]


def _unseen(sources: Sequence[Formula], chain: Chain, hidden: Collection[str]) -> list[frozenset[str]]:
    """For each conjunct the hidden variables that no other conjunct and no test has."""
    uses = Counter(name for part in (*sources, *chain.tests) for name in free_variables(part))
    return [frozenset(name for name in free_variables(part) if name in hidden and uses[name] == 1) for part in sources]


def _constants(chain: Chain) -> dict[str, Constant]:
    """The variables that the chain holds equal to a constant."""
    constants: dict[str, Constant] = {}
    for test in chain.tests:
        match test:
            case Comparison(operator="=", left=Variable(name), right=Constant() as constant):
                constants.setdefault(name, constant)
            case Comparison(operator="=", left=Constant() as constant, right=Variable(name)):
                constants.setdefault(name, constant)
            case _:
                pass
    return constants
