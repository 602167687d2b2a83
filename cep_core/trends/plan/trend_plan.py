"""From a bound query and a state diagram to what the kernels are to do: states as numbers, edges with comparisons.

GRETA, sections 4.1 and 6: edge predicates sit on the transitions of the template. Whatever no kernel evaluates is
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
    """An edge from state `source` to state `target` with its comparisons `left operator right`, all of which hold.

    Several of one source and target are alternatives, of which no two hold together.
    """

    source: int
    target: int
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True)
class TrendPlan:
    """How the kernels count the paths of one diagram. Total 0 of a window is their number."""

    query: Query
    guarded: Guarded
    """The diagram with what its negations forbid."""
    automaton: StateArrays
    compared: tuple[ComparedEdge, ...]
    excused: tuple[tuple[int, int], ...]
    """Edges along which negations, excused by what precedes them, ask how the two events' moments compare."""
    cut: tuple[tuple[int, int], ...]
    """Edges along which a vertex follows only those since a negated match began."""
    aggregates: Aggregates
    loose: bool
    """Whether some edges allow ties: then every other edge compares times, and vertices are in (ts, seq) order."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variable of each state."""
        return self.guarded.diagram.variables

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each state."""
        return self.guarded.diagram.names

    def states(self, variables: Iterable[str]) -> int:
        """The states (bits) that bind one of the variables."""
        wanted = set(variables)
        return bits(state for state, variable in enumerate(self.variables) if variable in wanted)

    @property
    def alternatives(self) -> dict[tuple[int, int], list[tuple[Comparison, ...]]]:
        """For each edge that compares events: what they are asked, one way or another."""
        found: dict[tuple[int, int], list[tuple[Comparison, ...]]] = {edge: [] for edge in self.excused}
        for edge in self.compared:
            found.setdefault((edge.source, edge.target), []).append(edge.comparisons)
        return {edge: some or [()] for edge, some in found.items()}

    @property
    def size(self) -> int:
        """Length of a window, in the log's unit or in events."""
        return self.query.window.size

    @property
    def slide(self) -> int:
        """Distance of windows; tumbling without SLIDE."""
        return self.query.window.slide or self.query.window.size

    @property
    def ordered(self) -> bool:
        """Whether events of equal time may follow each other, by `seq`."""
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
    forward = {
        edge: [guards.forbidden[k].starts_free for way in ways for k in way] for edge, ways in guards.between.items()
    }
    excused = tuple(edge for edge, passed in forward.items() if not all(passed))
    cut = tuple(edge for edge, passed in forward.items() if any(passed))
    bare = set(diagram.edges) - {(edge.source, edge.target) for edge in compared} - set(guards.between)
    edges_free = automaton(len(diagram.variables), diagram.start, diagram.end, bare)
    return TrendPlan(query, guards, edges_free, tuple(compared), excused, cut, aggregates, loose)


def alike_of(query: Query) -> Alike:
    """The key of a unit among those of its ANY: alike ones have the same."""
    numbers = alike_units(query)

    def alike(unit: Unit) -> int | str:
        return numbers.get(unit.variable, unit.variable)

    return alike


def later(query: Query, what: str, at: Position, hint: str = "") -> NotSupportedYet:
    """The refusal of what no engine evaluates so far."""
    return NotSupportedYet(f"not supported yet: {what}", at, text=query.text, path=query.path, hint=hint)


def never(query: Query, what: str, at: Position, hint: str = MATCHING_HINT) -> QueryError:
    """The refusal of what aggregation does not mean to evaluate."""
    return QueryError(what, at, text=query.text, path=query.path, hint=hint)


def _check_negations(query: Query, guards: Guarded) -> None:
    """Refuse what no cut expresses so far, in this diagram and in those of its negations."""
    negations = guards.diagram.negations
    for negation, negated in zip(negations, guards.forbidden, strict=True):
        if not negated.starts_free and not negated.ends_free:
            raise later(query, "NOT at both edges of a negated sequence", negation.at)
        _check_negations(query, negated)
    places = (*guards.between.values(), *guards.before.values(), *guards.after.values())
    for ways in places:
        beforehand = [k for way in ways for k in way if not guards.forbidden[k].starts_free]
        if len(ways) > 1 and beforehand:
            what = "NOT at the start of a negated sequence that only one way to read the pattern passes"
            raise later(query, what, negations[min(beforehand)].at)


def _in_time(source: str, target: str, query: Query) -> Comparison:
    """That time passes along an edge."""
    at = query.pattern.at
    return Comparison("<", Reference(source, "ts", Which.PREVIOUS, at), Reference(target, "ts", Which.EACH, at), at)


def _comparisons(query: Query) -> dict[tuple[str, str], Alternatives]:
    """What is asked of the neighbours of each pair of variables, negated ones included."""
    parts = (query.pattern, *(negation.body for negation in _nots(query.pattern)))
    templates = [template_of_pattern(part) for part in parts]
    found: dict[tuple[str, str], Alternatives] = {}
    for predicate in query.edge_predicates:
        source, target = predicate.source, predicate.target
        if predicate.adjacency is Adjacency.BINDING and not any(_neighbours(one, source) for one in templates):
            what = f"other events may lie between {source}[i-1] and {source}[i]"
            raise never(query, what, predicate.expression.at)
        try:
            known = found.get((source, target), [()])
            alternatives = joined(known, _alternatives(query, predicate))
            found[source, target] = alternatives or [(never_holds(predicate.expression.at),)]
        except TooMany:
            raise later(query, "so many alternatives between neighbours", predicate.expression.at) from None
    return found


def _nots(pattern: Pattern) -> Iterable[Not]:
    if isinstance(pattern, Not):
        yield pattern
    for part in parts_of(pattern):
        yield from _nots(part)


def _neighbours(template: Template, state: str) -> bool:
    """Whether consecutive events of a closure's variable are always neighbours."""
    between = [other for other in template.successors(state) if other != state]
    return (state, state) in template.edges and not any(template.reaches(other, state) for other in between)


def _alternatives(query: Query, predicate: EdgePredicate) -> Alternatives:
    """A condition between neighbours as conjunctions of comparisons that exclude each other."""
    try:
        return Neighbours(*references_of(predicate, query)).alternatives(predicate.expression)
    except Inseparable:
        raise later(
            query,
            "a comparison of neighbours with both of them on one side",
            predicate.expression.at,
            "write it with the earlier event on one side and the later on the other",
        ) from None
