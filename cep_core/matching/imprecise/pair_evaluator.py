"""`P AND Q` WITH CONFIDENCE: pairs of possible matches whose joint probability reaches the threshold.

The probability of a pair is the probability of the worlds that contain both its matches within one window (`joint`).
A pair is never more likely than one of its matches. So each side is searched with the pair's threshold.

There are two assumptions; queries that violate one are refused. First, no binding can match both sides; otherwise one
pair could be formed in two ways. Second, conditions on both sides do not depend on the order of a list's events.

Cost: the search of each side, and for each value of the equivalences the product of the matches of both sides; each
pair costs as `joint` states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.bind.naming import RIGHT
from cep_core.language.patterns.facts.compiled import refusals_in
from cep_core.language.patterns.query import Query
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.imprecise.confidence.joint import Ways, chances_of, ways_of
from cep_core.matching.imprecise.evaluator import ImpreciseEvaluator
from cep_core.matching.imprecise.possible_matches import PossibleGraph, possible_answers
from cep_core.matching.imprecise.possible_plan import depends_on_order
from cep_core.matching.pairs.evaluator import PairEvaluator
from cep_core.matching.pairs.pair_account import PairAccount
from cep_core.matching.pairs.pair_columns import Pairs
from cep_core.matching.pairs.pair_sides import PairSide, are_different, sides_of
from cep_core.matching.result.listed_output import ListedOutput
from cep_core.matching.result.match_rows import ordered
from cep_core.matching.result.spending import check
from cep_core.matching.result.tally import ListingTally
from cep_core.matching.written_evaluator import WrittenEvaluator


@dataclass(frozen=True)
class PossibleSide(PairSide):
    """n possible matches of one side, in order."""

    ways: Ways
    least_high: Ints
    """[match] by this moment, at least one of its events has happened."""
    most_low: Ints
    """[match] at this moment or later, at least one of its events happens."""


class PossiblePairs(PairEvaluator):
    """Evaluates `P AND Q` over possible worlds (`cep_core.language.evaluator.Evaluator`); arguments as in its base."""

    def __init__(self, query: Query, settings: Settings = DEFAULTS) -> None:
        super().__init__(query, settings)
        assert query.confidence is not None
        self.confidence = query.confidence
        lists = frozenset(variable.name for variable in query.positive if variable.kleene)
        with refusals_in(query):
            if any(depends_on_order(condition, lists) for condition in self.crossing):
                what = "a condition on both sides that depends on the order of a list's events"
                raise NotSupportedYet(
                    f"{what} is not supported yet WITH CONFIDENCE", query.pattern.at, hint="ask it of single events"
                )
            for side in self._possible:
                for negation in side.plan.negations:
                    message = "NOT in an AND is not supported yet WITH CONFIDENCE"
                    raise NotSupportedYet(message, negation.body.at, hint="a query for each side")
            if _may_change_sides(*(side.plan.automaton for side in self._possible)):
                message = "AND WITH CONFIDENCE of sides that may be the same match is not supported yet"
                hint = "name a variable of one side differently: matches of either side are then different ones"
                raise NotSupportedYet(message, query.pattern.at, hint=hint)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""
        return self._described(
            "AND over possible worlds: the likely matches of each side are paired, and pairs weighed",
            "cost: both searches, and the product of what they find x orders and moments of each pair",
        )

    @property
    def _possible(self) -> tuple[ImpreciseEvaluator, ...]:
        return tuple(side for side in self.sides if isinstance(side, ImpreciseEvaluator))

    def _evaluators(self) -> tuple[WrittenEvaluator, ...]:
        return tuple(ImpreciseEvaluator(half, Settings(budget=self.settings.budget)) for half in self._halves)

    def _listed(self, events: pa.Table, owned: Ownership | None, account: PairAccount) -> tuple[PairSide, PairSide]:
        tables, possible = [], []
        for side in self._possible:
            slice_graph = side.graph(events, owned)
            paths, table = everything(slice_graph, account)
            order = ordered(table)
            paths = paths.take(order)
            tables.append(table.take(pa.array(order)))
            times = slice_graph.times
            least_high = np.minimum.reduceat(times.high[paths.rows], paths.offsets[:-1]) if len(paths) else order
            most_low = np.maximum.reduceat(times.low[paths.rows], paths.offsets[:-1]) if len(paths) else order
            ways = ways_of(slice_graph.graph, times, side.judge, side.plan.kinds, paths, slice_graph.budget)
            possible.append((ways, least_high, most_low))
        with refusals_in(self.query):
            sides = sides_of(self.query, [side.judge.names for side in self._possible], tables, events)
        left, right = (
            PossibleSide(side.table, side.binding, side.group, side.key, side.twin, *own)
            for side, own in zip(sides, possible, strict=True)
        )
        return left, right

    def _fits(self, pairs: Pairs) -> Flags:
        left, right = pairs.left, pairs.right
        assert isinstance(left, PossibleSide)
        assert isinstance(right, PossibleSide)
        least = np.minimum(left.least_high[pairs.of_left], right.least_high[pairs.of_right])
        most = np.maximum(left.most_low[pairs.of_left], right.most_low[pairs.of_right])
        fits: Flags = are_different(*pairs) & (most - least <= self.query.window.size)
        return fits

    def _likely(self, pairs: Pairs) -> tuple[Ints, pa.Array]:
        left, right = pairs.left, pairs.right
        assert isinstance(left, PossibleSide)
        assert isinstance(right, PossibleSide)
        width, budget = self.query.window.size, self.settings.budget
        chances = chances_of(left.ways, pairs.of_left, right.ways, pairs.of_right, width, budget)
        likely = np.flatnonzero([self.confidence.accepts(chance) for chance in chances])
        return likely, pa.array(chances[likely])


def everything(possible: PossibleGraph, account: PairAccount) -> tuple[Paths, pa.Table]:
    """All matches of a slice, of any day, and their partial rows, in the order of the search.

    Raises WorkExhausted.
    """
    answers = possible_answers(possible, None)
    output = ListedOutput(possible.plan.query, Settings(budget=possible.budget))
    spending = output.account(answers)
    pieces, rows = [], []
    for paths, columns in answers.judged(ListingTally(answers, None), spending):
        account.hold(len(paths.rows))
        if len(paths):
            pieces.append(paths)
            rows.append(output.rows(answers, paths, columns))
    check(spending.metadata().values(), possible.budget, None, None)
    account.spend(spending.total)
    return Paths.join(pieces), pa.Table.from_batches(rows, output.partial)


def _may_change_sides(left: Automaton, right: Automaton) -> bool:
    """Whether a match of one side may also match the other; not if a side must bind a variable that the other lacks."""
    names = [[name.removesuffix(RIGHT) for name in automaton.variables] for automaton in (left, right)]
    return not any(
        name not in others and _must_bind(automaton, own, name)
        for automaton, own, others in ((left, names[0], names[1]), (right, names[1], names[0]))
        for name in own
    )


def _must_bind(automaton: Automaton, names: list[str], name: str) -> bool:
    """Whether every match binds the variable."""
    seen = {state for state in automaton.starts if names[state] != name}
    waiting = list(seen)
    while waiting:
        for after in automaton.successors[waiting.pop()]:
            if after not in seen and names[after] != name:
                seen.add(after)
                waiting.append(after)
    return not seen & automaton.accepts
