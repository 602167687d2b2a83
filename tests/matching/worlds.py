"""Random matching queries as text, random logs, and what the definition says of them."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa
from hypothesis import strategies as st

from cep_core.language.errors import Position
from cep_core.language.patterns.tree import Alternative, Kleene, Not, Pattern, Sequence, Unit
from cep_core.matching.reference import Path, any_matches, continuations, readings, run_matches

AT = Position(1, 1)
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
SIGNS = {(1, None): "+", (0, None): "*", (0, 1): "?", (2, 2): "{2}", (1, 3): "{1,3}", (2, None): "{2,}"}


@dataclass(frozen=True)
class Event:
    event_type: str
    ts: int
    seq: int
    x: int | None
    k: int | None


Holds = Callable[["World", Path], bool]
Allows = Callable[["World", Path, int], bool]
"""Whether a negated event beside a match passes a test."""


@dataclass(frozen=True)
class Tested:
    """A condition on a negated variable."""

    variable: str
    text: str
    allows: Allows


@dataclass
class World:
    """A query and a log. Events are in (ts, seq) order; a path's events are places in it."""

    pattern: Pattern
    events: list[Event]
    strategy: str = "skip_till_any_match"
    conditions: list[tuple[str, Holds]] = field(default_factory=list)
    keyed: bool = False
    size: int = 4
    in_events: bool = False
    slide: int | None = None
    ordered: bool = False
    tests: list[Tested] = field(default_factory=list)

    @property
    def units(self) -> list[Unit]:
        return units_of(self.pattern)

    @property
    def text(self) -> str:
        said = [text for text, _ in self.conditions] + [test.text for test in self.tests]
        said = said + (["[k]"] if self.keyed else []) or ["1 = 1"]
        window = f"WITHIN {self.size}{' EVENTS' if self.in_events else ''}"
        window += "" if self.slide is None else f" SLIDE {self.slide}"
        return f"PATTERN {written(self.pattern)} WHERE {self.strategy} {{ {' AND '.join(said)} }} {window}"

    @property
    def table(self) -> pa.Table:
        columns = {
            name: [getattr(event, name) for event in self.events] for name in ("event_type", "ts", "seq", "x", "k")
        }
        types = {"event_type": pa.string(), "ts": pa.int64(), "seq": pa.int64(), "x": pa.int64(), "k": pa.int64()}
        return pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})

    @property
    def lists(self) -> set[str]:
        return repeated(self.pattern)

    def later(self, one: int, other: int) -> bool:
        return one < other if self.ordered else self.events[one].ts < self.events[other].ts

    def fits_in(self, path: Path, event: int, window_start: int | None) -> bool:
        """Whether the event stays in the window of the path."""
        if window_start is not None:
            return window_start <= self.events[event].ts < window_start + self.size
        if self.in_events:
            return not path or event - path[0][0] < self.size
        return not path or self.events[event].ts - self.events[path[0][0]].ts <= self.size

    def extends(self, path: Path, event: int, variable: str, window_start: int | None) -> bool:
        """Type, time and window."""
        kinds = {unit.variable: unit.event_type for unit in self.units}
        if self.events[event].event_type != kinds[variable] or not self.fits_in(path, event, window_start):
            return False
        return not path or self.later(path[-1][0], event)

    def accepts(self, path: Path) -> bool:
        """The conditions, equivalence included."""
        keys = {self.events[event].k for event, _ in path}
        return (not self.keyed or (len(keys) == 1 and None not in keys)) and all(
            holds(self, path) for _, holds in self.conditions
        )

    def matches(self) -> list[tuple[int | None, Path]]:
        """Every (window start, path), in the order of results."""
        windows: list[int | None] = [None]
        if self.slide is not None:
            windows = [k * self.slide for k in range(-self.size - 1, 20)]
        found = [(window, path) for window in windows for path in self._in_window(window)]
        return sorted(found, key=self._place)

    def _in_window(self, window: int | None) -> set[Path]:
        def structure(path: Path, event: int, variable: str) -> bool:
            return self.extends(path, event, variable, window)

        if self.strategy == "skip_till_any_match":
            paths = any_matches(self.pattern, len(self.events), structure)
            return {path for path in paths if self.accepts(path) and self.stands(path, window)}

        def step(path: Path, event: int, variable: str) -> bool:
            return structure(path, event, variable) and self.accepts((*path, (event, variable)))

        def breaks(path: Path, event: int) -> bool:
            if self.strategy == "partition_contiguity":
                return self.events[event].k == self.events[path[0][0]].k
            return self.strategy == "strict_contiguity"

        paths = run_matches(self.pattern, len(self.events), step, breaks)
        return {path for path in paths if self.stands(path, window)}

    def stands(self, path: Path, window: int | None) -> bool:
        """Whether some reading of the match passes no negated element that happens there."""
        ts, first, last = [event.ts for event in self.events], path[0][0], path[-1][0]
        everywhere = range(len(ts))
        if window is not None:
            inside = {e for e in everywhere if window <= ts[e] < window + self.size}
            leading = trailing = inside
        elif self.in_events:
            leading = {e for e in everywhere if e > last - self.size}
            trailing = {e for e in everywhere if e < first + self.size}
        else:
            leading = {e for e in everywhere if ts[e] >= ts[last] - self.size}
            trailing = {e for e in everywhere if ts[e] <= ts[first] + self.size}
        zones = [{e for e in leading if self.later(e, first)}]
        zones += [self.strictly_between(one, other) for (one, _), (other, _) in itertools.pairwise(path)]
        zones += [{e for e in trailing if self.later(last, e)}]
        return self.passes(self.pattern, path, zones, path)

    def passes(self, pattern: Pattern, path: Path, zones: list[set[int]], match: Path) -> bool:
        return any(
            not any(
                self.happens(part, zone, match) for passed, zone in zip(reading, zones, strict=True) for part in passed
            )
            for reading in readings(pattern, path)
        )

    def strictly_between(self, one: int, other: int) -> set[int]:
        return {e for e in range(len(self.events)) if self.later(one, e) and self.later(e, other)}

    def happens(self, negated: Not, zone: set[int], match: Path) -> bool:
        """Whether the body of a negation has a match in the zone."""
        kinds = {unit.variable: unit.event_type for unit in units_of(negated.body)}

        def fits(path: Path, event: int, variable: str) -> bool:
            found = self.events[event]
            keyed = not self.keyed or found.k == self.events[match[0][0]].k
            tested = all(test.allows(self, (*match, *path), event) for test in self.tests if test.variable == variable)
            later = not path or self.later(path[-1][0], event)
            return event in zone and found.event_type == kinds[variable] and keyed and tested and later

        for path in any_matches(negated.body, len(self.events), fits):
            gaps = [self.strictly_between(one, other) for (one, _), (other, _) in itertools.pairwise(path)]
            if self.passes(negated.body, path, [set(), *gaps, set()], (*match, *path)):
                return True
        return False

    def _place(self, found: tuple[int | None, Path]) -> tuple[object, ...]:
        window, path = found
        order = {unit.variable: number for number, unit in enumerate(self.units)}
        last = self.events[path[-1][0]]
        return last.ts, last.seq, window or 0, [(self.events[e].seq, order[v]) for e, v in path]

    def row(self, window: int | None, path: Path) -> tuple[object, ...]:
        """A match as a row of the result."""
        ends = [self.events[path[0][0]].ts, self.events[path[-1][0]].ts]
        ends += [] if window is None else [window, window + self.size]
        columns: list[object] = []
        for unit in self.units:
            seqs = [self.events[event].seq for event, variable in path if variable == unit.variable]
            columns.append((tuple(seqs) if unit.variable in self.lists else seqs[0]) if seqs else None)
        return (*ends, *columns)

    def certain(self, window: int | None, path: Path) -> int:
        """When a match is certain."""
        ends_negated = all(reading[-1] for reading in readings(self.pattern, path))
        open_end = self.strategy != "skip_till_any_match" and could_take_more(self.pattern, path)
        if not ends_negated and not open_end:
            return self.events[path[-1][0]].ts
        return self.events[path[0][0]].ts + self.size if window is None else window + self.size - 1


def could_take_more(pattern: Pattern, path: Path) -> bool:
    """Whether a complete path may go on."""
    rests = {(pattern,)}
    for _, variable in path:
        rests = {
            after
            for rest in rests
            for unit, after, _ in continuations(rest)
            if unit is not None and unit.variable == variable
        }
    return any(unit is not None for rest in rests for unit, _, _ in continuations(rest))


def units_of(pattern: Pattern) -> list[Unit]:
    match pattern:
        case Unit():
            return [pattern]
        case Sequence():
            return [unit for element in pattern.elements for unit in units_of(element)]
        case Alternative():
            return [unit for option in pattern.options for unit in units_of(option)]
        case Kleene():
            return units_of(pattern.body)
        case Not():
            return []
    raise TypeError(pattern)


def negated_in(pattern: Pattern) -> list[Not]:
    """The negated elements that are in no other."""
    match pattern:
        case Not():
            return [pattern]
        case Sequence():
            return [found for element in pattern.elements for found in negated_in(element)]
        case Alternative():
            return [found for option in pattern.options for found in negated_in(option)]
        case Kleene():
            return negated_in(pattern.body)
    return []


def repeated(pattern: Pattern, inside: bool = False) -> set[str]:
    """The variables under a quantifier that may repeat them."""
    match pattern:
        case Unit():
            return {pattern.variable} if inside else set()
        case Sequence():
            return set().union(*(repeated(element, inside) for element in pattern.elements))
        case Alternative():
            return set().union(*(repeated(option, inside) for option in pattern.options))
        case Kleene():
            return repeated(pattern.body, inside or pattern.most != 1)
        case Not():
            return set()
    raise TypeError(pattern)


def written(pattern: Pattern) -> str:
    match pattern:
        case Unit():
            return f"{pattern.event_type} {pattern.variable}"
        case Sequence():
            return f"SEQ({', '.join(written(element) for element in pattern.elements)})"
        case Alternative():
            return f"({' OR '.join(written(option) for option in pattern.options)})"
        case Kleene():
            return f"({written(pattern.body)}){SIGNS[pattern.least, pattern.most]}"
        case Not():
            return f"NOT {written(pattern.body)}"
    raise TypeError(pattern)


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> Pattern:
    """Positive patterns of the types A, B, C, each unit its own variable; bounds on single units."""
    kinds = ("unit", "sequence", "plus", "star", "optional", "choice", "bounded")
    names = iter(range(100))

    def build(depth: int) -> Pattern:
        kind = draw(st.sampled_from(kinds)) if depth else "unit"
        if kind == "unit":
            return Unit(draw(st.sampled_from("ABC")), f"v{next(names)}", AT)
        if kind == "sequence":
            return Sequence(tuple(build(depth - 1) for _ in range(draw(st.integers(1, 3)))), AT)
        if kind == "choice":
            return Alternative(tuple(build(depth - 1) for _ in range(2)), AT)
        if kind == "bounded":
            return Kleene(build(0), *draw(st.sampled_from([(2, 2), (1, 3), (2, None)])), AT)
        least, most = {"plus": (1, None), "star": (0, None), "optional": (0, 1)}[kind]
        return Kleene(build(depth - 1), least, most, AT)

    return Sequence(
        (
            Unit(draw(st.sampled_from("ABC")), f"v{next(names)}", AT),
            *(build(depth) for _ in range(draw(st.integers(0, 2)))),
        ),
        AT,
    )


@st.composite
def with_negations(draw: st.DrawFn, pattern: Pattern) -> Pattern:
    """The pattern with one to three negated elements at any places of its sequences."""
    names = iter(range(100))

    def unit() -> Unit:
        return Unit(draw(st.sampled_from("ABBC")), f"n{next(names)}", AT)

    def negation() -> Not:
        kind = draw(st.sampled_from(["unit", "unit", "unit", "sequence", "nested", "closure"]))
        bodies: dict[str, Callable[[], Pattern]] = {
            "unit": unit,
            "sequence": lambda: Sequence((unit(), unit()), AT),
            "nested": lambda: Sequence((unit(), Not(unit(), AT), unit()), AT),
            "closure": lambda: Sequence((Kleene(unit(), 1, None, AT), unit()), AT),
        }
        return Not(bodies[kind](), AT)

    def build(part: Pattern, top: bool) -> Pattern:
        match part:
            case Sequence():
                elements: list[Pattern] = []
                for element in part.elements:
                    elements += [negation()] if draw(st.integers(0, 3)) == 0 else []
                    elements.append(build(element, False))
                elements += [negation()] if draw(st.integers(0, 3)) == 0 else []
                if top and not any(negated_in(element) for element in elements):
                    elements.insert(draw(st.integers(0, len(elements))), negation())
                return Sequence(tuple(elements), AT)
            case Alternative():
                return Alternative(tuple(build(option, False) for option in part.options), AT)
            case Kleene():
                return Kleene(build(part.body, False), part.least, part.most, AT)
        return part

    return build(pattern, True)


@st.composite
def tests_of(draw: st.DrawFn, negated: Not, pattern: Pattern) -> Tested:
    """A condition on an event of a negated element: its own, beside one of the match, or its own neighbours."""
    units = units_of(negated.body)
    its = draw(st.sampled_from(units))
    lists, closures = repeated(pattern), repeated(negated.body)
    name = its.variable + ("[i]" if its.variable in closures else "")
    sign, k = draw(st.sampled_from(sorted(COMPARE))), draw(st.integers(0, 2))
    kind = draw(st.sampled_from(["own", "match", "match", "match", "inside"]))
    if kind == "own" or (kind == "inside" and (len(units) < 2 or closures)):
        return Tested(its.variable, f"{name}.x {sign} {k}", lambda w, path, e: compares(sign, w.events[e].x, k))
    if kind == "inside":
        one, other = units[0].variable, units[1].variable

        def beside(world: World, path: Path, event: int) -> bool:
            return compares(sign, values(world, path, one)[0], world.events[event].x)

        return Tested(other, f"{one}.x {sign} {other}.x", beside)
    v = draw(st.sampled_from(units_of(pattern))).variable

    def allows(world: World, path: Path, event: int) -> bool:
        return all(compares(sign, world.events[event].x, x) for x in values(world, path, v))

    return Tested(its.variable, f"{name}.x {sign} {v}{'[i]' if v in lists else ''}.x", allows)


def values(world: World, path: Path, variable: str) -> list[int | None]:
    return [world.events[event].x for event, bound in path if bound == variable]


def compares(name: str, left: int | float | None, right: int | float | None) -> bool:
    """Unknown fails."""
    return left is not None and right is not None and COMPARE[name](left, right)


def pairs(path: Path, world: World, variable: str, neighbours: bool) -> list[tuple[int | None, int | None]]:
    """Values of consecutive events of a variable; `neighbours`: that are adjacent in the match."""
    steps = [(event, place) for place, (event, bound) in enumerate(path) if bound == variable]
    return [
        (world.events[one].x, world.events[other].x)
        for (one, at), (other, then) in itertools.pairwise(steps)
        if not neighbours or then == at + 1
    ]


def known(items: list[int | None]) -> list[int]:
    return [item for item in items if item is not None]


@st.composite
def conditions(draw: st.DrawFn, pattern: Pattern, any_match: bool) -> tuple[str, Holds]:
    """A condition as text, and what it says of a match. Those that a run can test step by step unless `any_match`."""
    lists = sorted(repeated(pattern))
    plain = sorted({unit.variable for unit in units_of(pattern)} - set(lists))
    sign, k = draw(st.sampled_from(sorted(COMPARE))), draw(st.integers(0, 2))
    v = draw(st.sampled_from(sorted([*lists, *plain])))
    if v in plain:
        w = draw(st.sampled_from(plain))
        if w == v or not any_match:
            return f"{v}.x {sign} {k}", lambda world, path: all(compares(sign, x, k) for x in values(world, path, v))

        def crossing(world: World, path: Path) -> bool:
            left, right = values(world, path, v), values(world, path, w)
            return not left or not right or compares(sign, left[0], right[0])

        return f"{v}.x {sign} {w}.x", crossing
    options: list[tuple[str, Holds]] = [
        (f"{v}[i].x {sign} {k}", lambda world, path: all(compares(sign, x, k) for x in values(world, path, v))),
        (
            f"{v}[i-1].x {sign} {v}[i].x",
            lambda world, path: all(compares(sign, *pair) for pair in pairs(path, world, v, False)),
        ),
        (f"{v}[1].x {sign} {k}", lambda world, path: all(compares(sign, x, k) for x in values(world, path, v)[:1])),
    ]
    if any_match:

        def over_maximum(world: World, path: Path) -> bool:
            its = values(world, path, v)
            return all(compares(sign, its[i], max(known(its[:i]), default=None)) for i in range(1, len(its)))

        def over_average(world: World, path: Path) -> bool:
            its = values(world, path, v)
            before = [known(its[:i]) for i in range(len(its))]
            return all(compares(sign, its[i], sum(b) / len(b) if b else None) for i, b in enumerate(before) if i)

        def total(world: World, path: Path) -> bool:
            its = values(world, path, v)
            return not its or compares(sign, sum(known(its)) if known(its) else None, k)

        def distinct_last(world: World, path: Path) -> bool:
            return all(compares(sign, x, k) for x in values(world, path, v)[-1:])

        options += [
            (f"{v}[i].x {sign} max({v}[..i-1].x)", over_maximum),
            (f"{v}[i].x {sign} avg({v}[1..i-1].x)", over_average),
            (f"sum({v}[].x) {sign} {k}", total),
            (f"{v}[last].x {sign} {k}", distinct_last),
        ]
        if plain:
            w = draw(st.sampled_from(plain))

            def each_beside_plain(world: World, path: Path) -> bool:
                one = values(world, path, w)
                return not one or all(compares(sign, x, one[0]) for x in values(world, path, v))

            options.append((f"{v}[i].x {sign} {w}.x", each_beside_plain))
    return draw(st.sampled_from(options))


@st.composite
def logs(draw: st.DrawFn, least: int = 0, most: int = 8, latest: int = 6) -> list[Event]:
    """Events with bursts of equal time stamps, NULLs, and seqs that need not follow time."""
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from("AABBCD"),
                st.integers(0, latest),
                st.sampled_from([0, 1, 2, 2, None]),
                st.sampled_from([0, 0, 1, None]),
            ),
            min_size=least,
            max_size=most,
        )
    )
    seqs = draw(st.permutations(range(len(rows)))) if draw(st.booleans()) else range(len(rows))
    events = [Event(kind, ts, seq, x, k) for (kind, ts, x, k), seq in zip(rows, seqs, strict=True)]
    return sorted(events, key=lambda event: (event.ts, event.seq))


@st.composite
def worlds(draw: st.DrawFn, strategies: tuple[str, ...] = ("skip_till_any_match",), negated: bool = False) -> World:
    pattern = draw(patterns(1 if negated else 2))
    if negated:
        pattern = draw(with_negations(pattern))
    world = World(pattern, draw(logs(6, 9, 10) if negated else logs()), strategy=draw(st.sampled_from(strategies)))
    any_match = world.strategy == "skip_till_any_match"
    world.conditions = draw(st.lists(conditions(pattern, any_match), max_size=0 if negated else 2))
    for negation in negated_in(pattern):
        if draw(st.booleans()):
            world.tests += draw(st.lists(tests_of(negation, pattern), min_size=1, max_size=2))
    world.keyed = world.strategy == "partition_contiguity" or draw(st.integers(0, 3 if negated else 1)) == 0
    world.size = draw(st.sampled_from([4, 6, 9] if negated else [1, 3, 5]))
    kind = draw(st.sampled_from(["time", "events", "slide"]))
    world.in_events = kind == "events"
    world.slide = draw(st.sampled_from([1, 2, 4])) if kind == "slide" else None
    world.ordered = draw(st.booleans())
    return world
