"""From a bound query and a state diagram to the plan for the kernels: states as numbers, edges with comparisons.

GRETA, sections 4.1 and 6: edge predicates stand on the transitions of the template. What no kernel evaluates is
refused here, by name and position, before any event is read (docs/semantics.md, 4).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cep_core.candidates.separating import references_of
from cep_core.events.schema import Ties
from cep_core.language.errors import NotSupportedYet, Position, QueryError
from cep_core.language.patterns.automata.diagram import Diagram, TooManyStates
from cep_core.language.patterns.automata.glushkov import Alike
from cep_core.language.patterns.automata.passed_negations import Ambiguous
from cep_core.language.patterns.automata.template import Template, template_of_pattern
from cep_core.language.patterns.bind.alike import alike_units
from cep_core.language.patterns.query import Adjacency, EdgePredicate, Query
from cep_core.language.patterns.tree import Comparison, Not, Pattern, Reference, Unit, Which
from cep_core.language.patterns.walk import parts_of
from cep_core.trends.plan.aggregates import Aggregates
from cep_core.trends.plan.alternatives import (
    Alternatives,
    Inseparable,
    Neighbours,
    TooMany,
    joined,
    never_holds,
)
from cep_core.trends.plan.guards import Guarded, guarded
from cep_core.trends.plan.state_arrays import MOST_STATES, StateArrays, automaton, bits

MATCHING_HINT = "use a matching query: RETURN without an aggregate over all trends"


@dataclass(frozen=True)
class ComparedEdge:
    """An edge from state `source` to state `target`. All its comparisons `left operator right` must hold.

    Several edges with the same source and target are alternatives. No two of them hold together.
    """

    source: int
    target: int
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True)
class TrendPlan:
    """How the kernels count the paths of one diagram. Total 0 of a window is the number of paths."""

    query: Query
    guarded: Guarded
    """The diagram with the diagrams of its negations."""
    automaton: StateArrays
    compared: tuple[ComparedEdge, ...]
    excused: tuple[tuple[int, int], ...]
    """Edges with a negation that an earlier event can excuse. They compare the moments of the two events."""
    cut: tuple[tuple[int, int], ...]
    """Edges along which a vertex follows only vertices since the start of a negated match."""
    aggregates: Aggregates
    loose: bool
    """Whether some edges allow equal times. Then all other edges compare times; vertices are in (ts, seq) order."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variable of each state."""
        return self.guarded.diagram.variables

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each state."""
        return self.guarded.diagram.names

    def states(self, variables: Iterable[str]) -> int:
        """The states that bind one of the variables, as bits."""
        bound = set(variables)
        return bits(state for state, variable in enumerate(self.variables) if variable in bound)

    @property
    def alternatives(self) -> dict[tuple[int, int], list[tuple[Comparison, ...]]]:
        """For each edge that compares events: its alternatives."""
        by_edge: dict[tuple[int, int], list[tuple[Comparison, ...]]] = {edge: [] for edge in self.excused}
        for edge in self.compared:
            by_edge.setdefault((edge.source, edge.target), []).append(edge.comparisons)
        return {edge: terms or [()] for edge, terms in by_edge.items()}

    @property
    def size(self) -> int:
        """Length of a window, in the log's time unit or in events."""
        return self.query.window.size

    @property
    def slide(self) -> int:
        """Distance between window starts. Without SLIDE windows tumble."""
        return self.query.window.slide or self.query.window.size

    @property
    def ordered(self) -> bool:
        """Whether events of equal time may follow each other, in the order of `seq`."""
        return self.query.schema.ties is Ties.ORDERED


def plan_of(query: Query, diagram: Diagram, aggregates: Aggregates) -> TrendPlan:
    """The plan of a diagram with one path for each binding. Raises NotSupportedYet or QueryError."""
    loose = bool(diagram.loose) and query.schema.ties is not Ties.ORDERED
    if len(diagram.variables) > MOST_STATES:
        raise later(query, f"a pattern that unrolls to more than {MOST_STATES} states", query.pattern.at)
    try:
        guards = guarded(diagram, alike_of(query), _comparisons(query))
    except TooManyStates as limit:
        raise later(query, "a negation that unrolls to too many states", limit.at) from None
    except Ambiguous:
        raise later(query, "a negation with so many choices between negations of its own", query.pattern.at) from None
    _check_negations(query, guards)
    compared = []
    for source, target in sorted(diagram.edges):
        alternatives = guards.comparisons.get((source, target), ((),))
        in_time: tuple[Comparison, ...] = ()
        if loose and (source, target) not in diagram.loose:
            in_time = (_in_time(diagram.variables[source], diagram.variables[target], query),)
        compared += [
            ComparedEdge(source, target, (*in_time, *comparisons))
            for comparisons in alternatives
            if in_time or comparisons
        ]
    starts_free = {
        edge: [guards.forbidden[k].starts_free for way in ways for k in way] for edge, ways in guards.between.items()
    }
    excused = tuple(edge for edge, free in starts_free.items() if not all(free))
    cut = tuple(edge for edge, free in starts_free.items() if any(free))
    uncompared = set(diagram.edges) - {(edge.source, edge.target) for edge in compared} - set(guards.between)
    template = automaton(len(diagram.variables), diagram.start, diagram.end, uncompared)
    return TrendPlan(query, guards, template, tuple(compared), excused, cut, aggregates, loose)


def alike_of(query: Query) -> Alike:
    """The key of a unit. Units of an ANY that are alike have the same key."""
    numbers = alike_units(query)

    def alike(unit: Unit) -> int | str:
        return numbers.get(unit.variable, unit.variable)

    return alike


def later(query: Query, what: str, at: Position, hint: str = "") -> NotSupportedYet:
    """The refusal of something that no engine evaluates so far."""
    return NotSupportedYet(f"not supported yet: {what}", at, text=query.text, path=query.path, hint=hint)


def never(query: Query, what: str, at: Position, hint: str = MATCHING_HINT) -> QueryError:
    """The refusal of something that aggregation will never evaluate."""
    return QueryError(what, at, text=query.text, path=query.path, hint=hint)


def _check_negations(query: Query, guards: Guarded) -> None:
    """Refuse negations that no cut can express so far, in this diagram and in the diagrams of its negations."""
    negations = guards.diagram.negations
    for negation, negated in zip(negations, guards.forbidden, strict=True):
        if not negated.starts_free and not negated.ends_free:
            raise later(query, "NOT at both edges of a negated sequence", negation.at)
        _check_negations(query, negated)
    places = (*guards.between.values(), *guards.before.values(), *guards.after.values())
    for ways in places:
        excusable = [k for way in ways for k in way if not guards.forbidden[k].starts_free]
        if len(ways) > 1 and excusable:
            what = "NOT at the start of a negated sequence that only one way to read the pattern passes"
            raise later(query, what, negations[min(excusable)].at)


def _in_time(source: str, target: str, query: Query) -> Comparison:
    """The comparison that time passes along an edge."""
    at = query.pattern.at
    return Comparison("<", Reference(source, "ts", Which.PREVIOUS, at), Reference(target, "ts", Which.EACH, at), at)


def _comparisons(query: Query) -> dict[tuple[str, str], Alternatives]:
    """The alternatives between neighbours, for each pair of variables, negated variables included."""
    parts = (query.pattern, *(negation.body for negation in _nots(query.pattern)))
    templates = [template_of_pattern(part) for part in parts]
    by_variables: dict[tuple[str, str], Alternatives] = {}
    for predicate in query.edge_predicates:
        source, target = predicate.source, predicate.target
        if predicate.adjacency is Adjacency.BINDING and not any(
            _neighbours(template, source) for template in templates
        ):
            what = f"other events may lie between {source}[i-1] and {source}[i]"
            raise never(query, what, predicate.expression.at)
        try:
            earlier = by_variables.get((source, target), [()])
            alternatives = joined(earlier, _alternatives(query, predicate))
            by_variables[source, target] = alternatives or [(never_holds(predicate.expression.at),)]
        except TooMany:
            raise later(query, "so many alternatives between neighbours", predicate.expression.at) from None
    return by_variables


def _nots(pattern: Pattern) -> Iterable[Not]:
    if isinstance(pattern, Not):
        yield pattern
    for part in parts_of(pattern):
        yield from _nots(part)


def _neighbours(template: Template, state: str) -> bool:
    """Whether consecutive events of a closure's variable are always neighbours in the trend."""
    between = [follower for follower in template.successors(state) if follower != state]
    return (state, state) in template.edges and not any(template.reaches(follower, state) for follower in between)


def _alternatives(query: Query, predicate: EdgePredicate) -> Alternatives:
    """A condition between neighbours, as conjunctions of comparisons that exclude each other."""
    try:
        return Neighbours(*references_of(predicate, query)).alternatives(predicate.expression)
    except Inseparable:
        raise later(
            query,
            "a comparison of neighbours with both of them on one side",
            predicate.expression.at,
            "write it with the earlier event on one side and the later on the other",
        ) from None
