"""Hypothesis strategies of safe and unsafe first-order formulas, by construction.

The first letter of a variable is its type (`terms.py`), so formulas meet in their variables, and `variable_types` knows
all types. Formulas have at most three free variables, since references enumerate valuations.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.temporal.formulas import (
    Aggregation,
    Always,
    And,
    Comparison,
    Equiv,
    Eventually,
    Exists,
    Forall,
    Formula,
    Historically,
    Implies,
    Let,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Release,
    Since,
    Trigger,
    Truth,
    Until,
)
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.terms import Constant, Variable
from cep_core.language.temporal.walk import free_variables, walk
from cep_core.testing.choice import chosen
from cep_core.testing.naming import names_apart
from cep_core.testing.signatures import ENDS, FLOAT, INT, STRING, VALUES
from cep_core.testing.terms import NAMES, TYPES, TermDrawing

MOST_VARIABLES = 3

intervals = st.builds(
    lambda low, length: Interval(low, None if length is None else low + length),
    st.sampled_from([0, 0, 0, 1, 2]),
    st.sampled_from([None, 0, 1, 3, 10]),
)
"""Intervals, resolved: with a > 0, of one member, unbounded."""
bounded_intervals = intervals.filter(lambda interval: interval.is_bounded)


def variable_types(formula: Formula) -> dict[str, AttributeType]:
    """The types of all variables of a formula of these strategies, bound ones too."""
    names: list[str] = []
    for part in walk(formula):
        names.extend(free_variables(part))
    return {name: TYPES[name[0]] for name in dict.fromkeys(names)}


@st.composite
def safe_formulas(
    draw: st.DrawFn,
    schema: LogSchema,
    *,
    depth: int = 3,
    sugar: bool = False,
    computing: bool = True,
    ends: bool = False,
) -> Formula:
    """Resolved formulas that are safe without rewriting, up to sugar and LET, which must be removed before.

    `sugar`: with IMPLIES, EQUIV, FORALL, HISTORICALLY, ALWAYS, TRIGGER, RELEASE and LET. `computing`: with arithmetic,
    conversions and SUM; without, no formula overflows. `ends`: constants at the ends of their types.
    """
    return names_apart(_Drawing(draw, computing, ENDS if ends else VALUES, sugar).safe(schema, depth))


@dataclass(frozen=True)
class _Drawing(TermDrawing):
    """Draws safe formulas from the inside out."""

    sugar: bool
    lets: set[str] = field(default_factory=set)

    def safe(self, schema: LogSchema, depth: int) -> Formula:
        """A safe formula of any free variables, at most three."""
        if depth == 0:
            return self.leaf(schema)
        makers = [
            self.conjunction,
            self.tested,
            self.guarded_negation,
            self.disjunction,
            self.quantified,
            self.temporal,
            self.temporal,
            self.pair,
            self.pair,
            self.aggregation,
            self.closed_negation,
        ]
        if self.sugar:
            makers += [self.defined, self.sugared]
        return self.narrowed(self.choice(makers)(schema, depth - 1))

    def leaf(self, schema: LogSchema) -> Formula:
        match self.choice(["atom"] * 8 + ["equation", "truth"]):
            case "equation":
                name = self.choice(TYPES)
                return self.equation(Variable(name), self.constant(TYPES[name]))
            case "truth":
                return Truth(self.draw(st.booleans()))
        event_type = self.choice(schema.types)
        attributes = [
            attribute
            for attribute in schema.attributes_of(event_type).values()
            if event_type in self.lets or self.choice(range(8)) < 7
        ]
        arguments = tuple(
            self.constant(attribute.type)
            if self.choice(range(6)) == 5
            else Variable(self.choice(NAMES[attribute.type]))
            for attribute in attributes
        )
        names = None if event_type in self.lets else tuple(attribute.name for attribute in attributes)
        return Predicate(event_type, arguments, names)

    # ------------------------------------------------------------ fewer free variables

    def narrowed(self, formula: Formula) -> Formula:
        free = free_variables(formula)
        return self.closed(formula, free[MOST_VARIABLES:])

    def closed(self, formula: Formula, names: Iterable[str] | None = None) -> Formula:
        """The formula with some variables bound, or all."""
        bound = tuple(free_variables(formula) if names is None else names)
        return Exists(bound, formula) if bound else formula

    def within(self, schema: LogSchema, depth: int, names: Iterable[str]) -> Formula:
        """A safe formula whose free variables are among `names`."""
        formula = self.safe(schema, depth)
        return self.closed(formula, [name for name in free_variables(formula) if name not in set(names)])

    # ------------------------------------------------------------ operators at a point

    def conjunction(self, schema: LogSchema, depth: int) -> Formula:
        return And(self.safe(schema, depth), self.safe(schema, depth))

    def guarded_negation(self, schema: LogSchema, depth: int) -> Formula:
        left = self.safe(schema, depth)
        return And(left, Not(self.within(schema, depth, free_variables(left))))

    def closed_negation(self, schema: LogSchema, depth: int) -> Formula:
        return Not(self.closed(self.safe(schema, depth)))

    def disjunction(self, schema: LogSchema, depth: int) -> Formula:
        left, right = self.safe(schema, depth), self.safe(schema, depth)
        shared = set(free_variables(left)) & set(free_variables(right))
        left = self.closed(left, [name for name in free_variables(left) if name not in shared])
        return Or(left, self.closed(right, [name for name in free_variables(right) if name not in shared]))

    def quantified(self, schema: LogSchema, depth: int) -> Formula:
        body = self.safe(schema, depth)
        free = free_variables(body)
        return self.closed(body, [name for name in free if self.draw(st.booleans())])

    def tested(self, schema: LogSchema, depth: int) -> Formula:
        """A formula and a test of its variables, or an assignment of one more."""
        body = self.safe(schema, depth)
        free = free_variables(body)
        kind = self.choice([TYPES[name] for name in free] or [INT])
        new = [name for name in NAMES[kind] if name not in free]
        if self.draw(st.booleans()) and new:
            return And(body, self.equation(Variable(self.choice(new)), self.term(kind, free)))
        test = self.test(kind, free)
        return And(body, Not(test) if self.draw(st.booleans()) else test)

    # ------------------------------------------------------------ temporal operators, aggregation

    def temporal(self, schema: LogSchema, depth: int) -> Formula:
        body = self.safe(schema, depth)
        kinds: list[type[Prev] | type[Next] | type[Once] | None] = [Once, Prev, Next, None]
        kind = self.choice(kinds)
        return Eventually(self.draw(bounded_intervals), body) if kind is None else kind(self.draw(intervals), body)

    def pair(self, schema: LogSchema, depth: int) -> Formula:
        """SINCE or UNTIL; the left side may be negated."""
        right = self.safe(schema, depth)
        left = self.within(schema, depth, free_variables(right))
        if self.draw(st.booleans()):
            left = Not(left)
        if self.draw(st.booleans()):
            return Since(self.draw(intervals), left, right)
        return Until(self.draw(bounded_intervals), left, right)

    def aggregation(self, schema: LogSchema, depth: int) -> Formula:
        body = self.safe(schema, depth)
        free = free_variables(body)
        if not free:
            return body
        item = self.choice(free)
        functions = ["CNT", "MIN", "MAX"]
        if TYPES[item] is not STRING:
            functions += ["AVG", "MED", *["SUM"] * self.computing]
        function = self.choice(functions)
        kind = {"CNT": INT, "AVG": FLOAT, "MED": FLOAT}.get(function, TYPES[item])
        result = self.choice(NAMES[kind])
        groups = tuple(Variable(name) for name in free if name != result and self.draw(st.booleans()))
        return Aggregation(Variable(result), function, Variable(item), groups, body)

    # ------------------------------------------------------------ sugar

    def defined(self, schema: LogSchema, depth: int) -> Formula:
        """LET: its name is an event type of the formula behind IN."""
        definition = self.safe(schema, depth)
        parameters = self.draw(st.permutations(free_variables(definition)))
        name = f"L{len(self.lets)}"
        self.lets.add(name)
        attributes = {parameter: Attribute(parameter, TYPES[parameter]) for parameter in parameters}
        wider = replace(schema, types={name: attributes, **schema.types})
        return Let(name, tuple(parameters), definition, self.safe(wider, depth))

    def sugared(self, schema: LogSchema, depth: int) -> Formula:
        """Sugar of closed formulas, and FORALL with a guard."""
        kind = self.choice(["IMPLIES", "EQUIV", "FORALL", "FORALL", "HISTORICALLY", "ALWAYS", "TRIGGER", "RELEASE"])
        left = self.safe(schema, depth)
        if kind == "FORALL":
            guard = self.safe(schema, depth)
            inner = self.within(schema, depth, free_variables(guard))
            seen = free_variables(left)
            bound = tuple(name for name in free_variables(guard) if name not in seen or self.draw(st.booleans()))
            return And(left, Forall(bound, Implies(guard, inner)) if bound else guard)
        left, right = self.closed(left), self.closed(self.safe(schema, depth))
        past, future = self.draw(intervals), self.draw(bounded_intervals)
        match kind:
            case "IMPLIES":
                return Implies(left, right)
            case "EQUIV":
                return Equiv(left, right)
            case "HISTORICALLY":
                return Historically(past, left)
            case "ALWAYS":
                return Always(future, left)
            case "TRIGGER":
                return Trigger(past, left, right)
        return Release(future, left, right)


# ---------------------------------------------------------------- unsafe formulas


@st.composite
def unsafe_formulas(draw: st.DrawFn, schema: LogSchema, *, depth: int = 1) -> Formula:
    """Formulas that stay unsafe under rewriting: a variable that nothing bounds, under operators that bound none.

    The signature needs an event type with an attribute.
    """
    fine = safe_formulas(schema, depth=depth)
    bounded = draw(fine.filter(lambda formula: bool(free_variables(formula))))
    free = free_variables(bounded)
    kind = TYPES[free[0]]
    named, loose = NAMES[kind][0], f"{NAMES[kind][0]}_loose"
    cases: list[Formula] = [
        Not(bounded),
        Or(bounded, Comparison("=", Variable(loose), Constant(VALUES[kind][0]))),
        Comparison(chosen(draw, ["<", "<=", ">", ">="]), Variable(named), Variable(loose)),
        Comparison("=", Variable(named), Variable(loose)),
        And(bounded, Not(Comparison("=", Variable(free[0]), Variable(loose)))),
        Since(draw(intervals), Not(bounded), Truth(True)),
    ]
    formula = chosen(draw, cases)
    outer: list[type[Prev] | type[Next] | type[Once] | type[Eventually]] = [Prev, Next, Once, Eventually]
    for operator in draw(st.lists(st.sampled_from(outer), max_size=2)):
        formula = operator(draw(bounded_intervals), formula)
    return names_apart(formula)
