"""The kernels against the definition, on random patterns, conditions and events with bursts of equal time stamps."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.language.errors import Position
from cep_core.language.patterns.automata.automaton import Automaton, automaton_of
from cep_core.language.patterns.tree import Alternative, Kleene, Pattern, Sequence, Unit
from cep_core.matching.arrays.network import Network, ends_at, network_of, with_places
from cep_core.matching.arrays.paths import BatchSize, Paths
from cep_core.matching.kernels.counting import count_matches
from cep_core.matching.kernels.listing import list_matches
from cep_core.matching.kernels.runs import NONE, finish_runs, grow_forest, walk_runs
from cep_core.matching.match_path import Path
from cep_core.matching.reference import Step, any_matches, run_matches

AT = Position(1, 1)


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> Pattern:
    """Positive patterns over at most four units, each its own variable, of the types A, B, C."""
    names = iter(range(100))

    def build(depth: int) -> Pattern:
        kind = draw(st.sampled_from(["unit", "sequence", "plus", "star", "optional", "choice"])) if depth else "unit"
        if kind == "unit":
            return Unit(draw(st.sampled_from("ABC")), f"v{next(names)}", AT)
        if kind == "sequence":
            return Sequence(tuple(build(depth - 1) for _ in range(draw(st.integers(1, 3)))), AT)
        if kind == "choice":
            return Alternative(tuple(build(depth - 1) for _ in range(2)), AT)
        least, most = {"plus": (1, None), "star": (0, None), "optional": (0, 1)}[kind]
        return Kleene(build(depth - 1), least, most, AT)

    return Sequence(tuple(build(depth - 1) for _ in range(draw(st.integers(1, 3)))), AT)


def units(pattern: Pattern) -> list[Unit]:
    match pattern:
        case Unit():
            return [pattern]
        case Sequence():
            return [unit for element in pattern.elements for unit in units(element)]
        case Alternative():
            return [unit for option in pattern.options for unit in units(option)]
        case Kleene():
            return units(pattern.body)
    raise TypeError(pattern)


class World:
    """A random case: a pattern, events, comparisons on its edges, a window and a reading of ties."""

    def __init__(
        self, pattern: Pattern, rows: list[tuple[str, int, int]], conditions: dict[tuple[str, str], str]
    ) -> None:
        self.pattern = pattern
        self.rows = sorted(rows, key=lambda row: row[1])
        self.types = [row[0] for row in self.rows]
        self.ts = [row[1] for row in self.rows]
        self.x = [row[2] for row in self.rows]
        self.type_of = {unit.variable: unit.event_type for unit in units(pattern)}
        self.conditions = conditions
        self.ordered = False
        self.width = 1 << 40
        self.contiguous = False

    def extends(self, path: Path, event: int, step: Step) -> bool:
        assert step.unit is not None
        variable = step.unit.variable
        if self.types[event] != self.type_of[variable]:
            return False
        if not path:
            return True
        last, previous = path[-1]
        if self.contiguous and event != last + 1:
            return False
        later = event > last if self.ordered else self.ts[event] > self.ts[last]
        operator = self.conditions.get((previous, variable))
        good = (
            operator is None
            or {
                "<": self.x[last] < self.x[event],
                ">=": self.x[last] >= self.x[event],
                "=": self.x[last] == self.x[event],
                "!=": self.x[last] != self.x[event],
            }[operator]
        )
        return later and good and self.ts[event] - self.ts[path[0][0]] <= self.width

    def network(self, automaton: Automaton) -> Network:
        m, states = len(self.rows), len(automaton.variables)
        fits = [[kind == self.type_of[variable] for variable in automaton.variables] for kind in self.types]
        x = np.array(self.x, np.int64)
        comparisons = {
            (s, t): [(operator, x, x)]
            for s, source in enumerate(automaton.variables)
            for t, target in enumerate(automaton.variables)
            if (operator := self.conditions.get((source, target)))
        }
        tick = np.arange(m) if self.ordered else np.array(self.ts, np.int64)
        fits = np.array(fits, np.bool_).reshape(m, states)
        return with_places(network_of(tick, fits, automaton, comparisons), np.array([0, m]))

    def lows(self) -> np.ndarray:
        return np.array(
            [min(j for j in range(i + 1) if self.ts[i] - self.ts[j] <= self.width) for i in range(len(self.ts))],
            np.int64,
        )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    pattern = draw(patterns())
    rows = draw(st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 6), st.integers(0, 2)), max_size=8))
    names = [unit.variable for unit in units(pattern)]
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names))
    world = World(pattern, rows, draw(st.dictionaries(pairs, st.sampled_from(["<", ">=", "=", "!="]), max_size=3)))
    world.ordered = draw(st.booleans())
    world.width = draw(st.sampled_from([2, 4, 100]))
    return world


def as_tuples(paths: Paths, automaton: Automaton) -> list[Path]:
    bounds = list(zip(paths.offsets[:-1], paths.offsets[1:], strict=True))
    return [tuple((int(paths.rows[p]), automaton.variables[paths.states[p]]) for p in range(a, b)) for a, b in bounds]


@settings(deadline=None)
@given(worlds())
def test_counts_and_listing_are_the_definition(world: World) -> None:
    """Skip-till-any: the paths listed are exactly the matches, in order, and as many as counted for each last event."""
    automaton = automaton_of(world.pattern)
    expected = any_matches(world.pattern, len(world.rows), world.extends)
    network, ends = world.network(automaton), np.arange(len(world.rows))
    questions = ends_at(ends, world.lows())
    counts, large = count_matches(network, questions)
    per_end = [sum(path[-1][0] == end for path in expected) for end in ends]
    assert (counts.tolist(), large) == (per_end, {})
    listed = [
        path
        for batch in list_matches(network, np.arange(len(world.rows)), questions, counts, BatchSize(3, 4, 0))
        for path in as_tuples(batch, automaton)
    ]
    place = {variable: state for state, variable in enumerate(automaton.variables)}
    assert listed == sorted(expected, key=lambda path: (path[-1][0], [(e, place[v]) for e, v in path]))


@settings(deadline=None)
@given(worlds(), st.booleans())
def test_runs_are_the_definition(world: World, contiguous: bool) -> None:
    """Skip-till-next-match and contiguity: the match of each start event is the one that offering events finds."""
    world.contiguous = contiguous
    automaton = automaton_of(world.pattern)
    expected = run_matches(
        world.pattern, len(world.rows), world.extends, lambda path, event: contiguous, lambda path, rest: True
    )
    network, m, states = world.network(automaton), len(world.rows), len(automaton.variables)
    ranks = np.arange(m) if contiguous else None
    forest = grow_forest(network, np.array([0, m]), np.array(world.ts, np.int64), world.width, ranks)
    fitting = [next((s for s in automaton.starts if network.fits[row, s]), NONE) for row in range(m)]
    first = np.array([NONE if s == NONE else row * states + s for row, s in enumerate(fitting)], np.int64)
    first = first.astype(forest.successor.dtype)
    clock = np.array(world.ts, np.int64)
    run, last, lengths = finish_runs(forest, states, clock, first, clock + world.width)
    listed = walk_runs(forest, states, first[run], lengths, run)
    assert set(as_tuples(listed, automaton)) == set(expected)
    ends = listed.offsets[1:] - 1
    assert (listed.rows[ends] * states + listed.states[ends]).tolist() == last.tolist()
