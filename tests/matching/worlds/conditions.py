"""Random conditions as text, and what they say of a match: of its variables and of a negated event beside it."""

from __future__ import annotations

import itertools
import operator

from hypothesis import strategies as st

from cep_core.language.patterns.tree import Not, Pattern
from cep_core.matching.match_path import Path
from cep_core.testing.choice import chosen
from tests.ends import WHOLE, kept, place
from tests.matching.worlds.parts import repeated, units_of
from tests.matching.worlds.world import Condition, Event, Tested, Unsettled, World

COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
CONSTANTS = st.integers(0, 2) | st.sampled_from(WHOLE)


@st.composite
def tests_of(draw: st.DrawFn, negated: Not, pattern: Pattern) -> Tested:
    """A condition on an event of a negated element: its own, beside one of the match, or its own neighbours."""
    units = units_of(negated.body)
    its = chosen(draw, units)
    lists, closures = repeated(pattern), repeated(negated.body)
    name = its.variable + ("[i]" if its.variable in closures else "")
    sign, k = chosen(draw, sorted(COMPARE)), draw(CONSTANTS)
    kind = chosen(draw, ["own", "match", "match", "match", "inside"])
    if kind == "own" or (kind == "inside" and (len(units) < 2 or closures)):
        return Tested(its.variable, f"{name}.x {sign} {k}", lambda w, path, e: compares(sign, w.events[e].x, k))
    if kind == "inside":
        earlier, later = units[0].variable, units[1].variable

        def beside(world: World, path: Path, event: int) -> bool:
            return compares(sign, values(world, path, earlier)[0], world.events[event].x)

        return Tested(later, f"{earlier}.x {sign} {later}.x", beside)
    v = chosen(draw, units_of(pattern)).variable
    if draw(st.integers(0, 2)) == 0:

        def apart(world: World, path: Path, event: int) -> bool:
            return all(compares(sign, minus(world.events[event].x, x), k) for x in values(world, path, v))

        return Tested(its.variable, f"{name}.x - {v}{'[i]' if v in lists else ''}.x {sign} {k}", apart)

    def allows(world: World, path: Path, event: int) -> bool:
        return all(compares(sign, world.events[event].x, x) for x in values(world, path, v))

    return Tested(its.variable, f"{name}.x {sign} {v}{'[i]' if v in lists else ''}.x", allows)


def values(world: World, path: Path, variable: str) -> list[int | None]:
    return [world.events[event].x for event, bound in path if bound == variable]


def compares(name: str, left: int | float | None, right: int | float | None) -> bool:
    """Unknown fails."""
    return left is not None and right is not None and COMPARE[name](place(left), place(right))


def minus(left: int | None, right: int | None) -> int | None:
    """A difference as the language knows it."""
    return None if left is None or right is None else kept(left - right)


def pairs(path: Path, world: World, variable: str) -> list[tuple[Event, Event]]:
    """Consecutive events of a variable."""
    return list(itertools.pairwise(world.events[event] for event, bound in path if bound == variable))


def known(items: list[int | None]) -> list[int]:
    return [item for item in items if item is not None]


def while_it_grows(v: str) -> Unsettled:
    """A condition on all events of a variable, or on its last one."""
    return lambda world, path, coming: v in coming


@st.composite
def conditions_of_plain(draw: st.DrawFn, v: str, w: str, sign: str, k: int) -> Condition:
    """A condition on two variables that hold one event each, or on one if they are the same."""
    if v == w:
        options = [
            (f"{v}.x {sign} {k}", lambda event, _: compares(sign, event.x, k)),
            (f"{v}.x {sign} {v}.y", lambda event, _: compares(sign, event.x, event.y)),
            (f"{v}.y {sign} {k}", lambda event, _: compares(sign, event.y, k)),
            (f"{v}.x IN ({k}, 1)", lambda event, _: event.x in (k, 1)),
            (f"{v}.x - {k} {sign} 1", lambda event, _: compares(sign, minus(event.x, k), 1)),
        ]
    else:
        options = [
            (f"{v}.x {sign} {w}.x", lambda earlier, later: compares(sign, earlier.x, later.x)),
            (f"{v}.x {sign} {w}.y", lambda earlier, later: compares(sign, earlier.x, later.y)),
            (f"{v}.x - {w}.x {sign} {k}", lambda earlier, later: compares(sign, minus(earlier.x, later.x), k)),
            (
                f"{v}.x - ({w}.x - 1) {sign} {k} - 1",
                lambda earlier, later: compares(sign, minus(earlier.x, minus(later.x, 1)), minus(k, 1)),
            ),
            (
                f"{v}.x - {w}.x BETWEEN 0 AND {k}",
                lambda earlier, later: (
                    compares(">=", minus(earlier.x, later.x), 0) and compares("<=", minus(earlier.x, later.x), k)
                ),
            ),
        ]
    text, said = chosen(draw, options)

    def holds(world: World, path: Path) -> bool:
        bound = {name: world.events[event] for event, name in path}
        return v not in bound or w not in bound or said(bound[v], bound[w])

    return Condition(text, holds)


@st.composite
def conditions(draw: st.DrawFn, pattern: Pattern) -> Condition:
    """A condition as text, and what it says of a match."""
    lists = sorted(repeated(pattern))
    plain = sorted({unit.variable for unit in units_of(pattern)} - set(lists))
    sign, k = chosen(draw, sorted(COMPARE)), draw(CONSTANTS)
    v = chosen(draw, sorted([*lists, *plain]))
    if v in plain:
        return draw(conditions_of_plain(v, chosen(draw, plain), sign, k))

    def each(world: World, path: Path) -> bool:
        return all(compares(sign, x, k) for x in values(world, path, v))

    def in_turn(world: World, path: Path) -> bool:
        return all(compares(sign, earlier.x, later.x) for earlier, later in pairs(path, world, v))

    def real_in_turn(world: World, path: Path) -> bool:
        return all(compares(sign, earlier.y, later.x) for earlier, later in pairs(path, world, v))

    def apart_in_turn(world: World, path: Path) -> bool:
        return all(compares(sign, minus(later.x, earlier.x), k) for earlier, later in pairs(path, world, v))

    def product_in_turn(world: World, path: Path) -> bool:
        its = [(earlier.x, later.x) for earlier, later in pairs(path, world, v)]
        return all(
            earlier is not None and later is not None and compares(sign, kept(earlier * later), k)
            for earlier, later in its
        )

    def first(world: World, path: Path) -> bool:
        return all(compares(sign, x, k) for x in values(world, path, v)[:1])

    def second(world: World, path: Path) -> bool:
        its = values(world, path, v)
        return not its or (len(its) > 1 and compares(sign, its[1], k))

    def over_maximum(world: World, path: Path) -> bool:
        its = values(world, path, v)
        return all(compares(sign, its[i], max(known(its[:i]), default=None)) for i in range(1, len(its)))

    def over_average(world: World, path: Path) -> bool:
        its = values(world, path, v)
        before = [known(its[:i]) for i in range(len(its))]
        return all(compares(sign, its[i], sum(b) / len(b) if b else None) for i, b in enumerate(before) if i)

    def total(world: World, path: Path) -> bool:
        its = values(world, path, v)
        return not its or compares(sign, kept(sum(known(its))) if known(its) else None, k)

    def average(world: World, path: Path) -> bool:
        its = values(world, path, v)
        return not its or compares(sign, sum(known(its)) / len(known(its)) if known(its) else None, k)

    def last(world: World, path: Path) -> bool:
        return all(compares(sign, x, k) for x in values(world, path, v)[-1:])

    def how_many(world: World, path: Path) -> bool:
        its = values(world, path, v)
        return not its or compares(sign, len(its), k)

    options = [
        Condition(f"{v}[i].x {sign} {k}", each),
        Condition(f"{v}[i-1].x {sign} {v}[i].x", in_turn),
        Condition(f"{v}[i-1].y {sign} {v}[i].x", real_in_turn),
        Condition(f"{v}[i].x - {v}[i-1].x {sign} {k}", apart_in_turn),
        Condition(f"{v}[i-1].x * {v}[i].x {sign} {k}", product_in_turn),
        Condition(f"{v}[1].x {sign} {k}", first),
        Condition(f"{v}[2].x {sign} {k}", second, lambda w, path, coming: v in coming and len(values(w, path, v)) < 2),
        Condition(f"{v}[i].x {sign} max({v}[..i-1].x)", over_maximum),
        Condition(f"{v}[i].x {sign} avg({v}[1..i-1].x)", over_average),
        Condition(f"sum({v}[].x) {sign} {k}", total, while_it_grows(v)),
        Condition(f"avg({v}[].x) {sign} {k}", average, while_it_grows(v)),
        Condition(f"{v}[last].x {sign} {k}", last, while_it_grows(v)),
        Condition(f"last({v}[].x) {sign} {k}", last, while_it_grows(v)),
        Condition(f"first({v}[].x) {sign} {k}", first),
        Condition(f"count({v}[]) {sign} {k}", how_many, while_it_grows(v)),
    ]
    if plain or len(lists) > 1:
        w = chosen(draw, [name for name in (*plain, *lists) if name != v])

        def each_beside_each(world: World, path: Path) -> bool:
            its = itertools.product(values(world, path, v), values(world, path, w))
            return all(compares(sign, earlier, later) for earlier, later in its)

        options.append(Condition(f"{v}[i].x {sign} {w}{'[i]' if w in lists else ''}.x", each_beside_each))
    return chosen(draw, options)
