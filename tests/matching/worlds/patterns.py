"""Random patterns: positive ones, with negated elements, and those whose matches wait for the end of a NOT."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from cep_core.language.patterns.tree import Alternative, AnyOf, Kleene, Not, Pattern, Sequence, Unit
from cep_core.testing.choice import chosen
from tests.matching.worlds.parts import AT, negated_in, units_of


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2, alternative: bool = False) -> Pattern:
    """Positive patterns of the types A, B, C; branches of an OR may share variables."""
    kinds = ("unit", "sequence", "plus", "star", "optional", "choice", "bounded", "any")
    names = iter(range(100))

    def unit(shared: list[Unit]) -> Unit:
        if shared and draw(st.booleans()):
            return shared.pop(0)
        return Unit(chosen(draw, "ABC"), f"v{next(names)}", AT)

    def build(depth: int, shared: list[Unit]) -> Pattern:
        kind = chosen(draw, kinds) if depth else "unit"
        if kind == "unit":
            return unit(shared)
        if kind == "sequence":
            return Sequence(tuple(build(depth - 1, shared) for _ in range(draw(st.integers(1, 3)))), AT)
        if kind == "choice":
            first = build(depth - 1, shared)
            return Alternative((first, build(depth - 1, list(dict.fromkeys(units_of(first))))), AT)
        if kind == "any":
            units = tuple(unit([]) for _ in range(draw(st.integers(1, 3))))
            return AnyOf(draw(st.integers(1, len(units))), units, AT)
        if kind == "bounded":
            return Kleene(build(depth - 1, shared), *chosen(draw, [(2, 2), (1, 2), (1, 3), (2, None), (0, 2)]), AT)
        least, most = {"plus": (1, None), "star": (0, None), "optional": (0, 1)}[kind]
        return Kleene(build(depth - 1, shared), least, most, AT)

    def whole(shared: list[Unit]) -> Sequence:
        rest = (build(depth, shared) for _ in range(draw(st.integers(0, 2))))
        return Sequence((unit(shared), *rest), AT)

    first = whole([])
    if alternative and draw(st.integers(0, 3)) == 0:
        return Alternative((first, whole(list(dict.fromkeys(units_of(first))))), AT)
    return first


@st.composite
def with_negations(draw: st.DrawFn, pattern: Pattern) -> Pattern:
    """The pattern with one to three negated elements at any places of its sequences."""
    names = iter(range(100))

    def unit() -> Unit:
        return Unit(chosen(draw, "ABBC"), f"n{next(names)}", AT)

    def negation() -> Not:
        kind = chosen(draw, ["unit", "unit", "unit", "sequence", "nested", "closure"])
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
def waiting_patterns(draw: st.DrawFn) -> Pattern:
    """Patterns whose matches end in a NOT or do not: optionals and closures stand behind it, an OR around or before."""
    names = iter(range(100))

    def unit() -> Unit:
        return Unit(chosen(draw, "AAC"), f"v{next(names)}", AT)

    def quantified(bounds: list[tuple[int, int | None]]) -> Pattern:
        return Kleene(unit(), *chosen(draw, bounds), AT)

    def sequence() -> Sequence:
        begin = chosen(draw, ["unit", "closure", "choice"])
        first: dict[str, Callable[[], Pattern]] = {
            "unit": unit,
            "closure": lambda: quantified([(1, None), (2, None), (1, 2)]),
            "choice": lambda: Alternative((unit(), unit()), AT),
        }
        negated = Not(Unit("B", f"n{next(names)}", AT), AT)
        behind = [quantified([(0, 1), (0, None), (0, 2)]) for _ in range(draw(st.integers(0, 2)))]
        return Sequence((first[begin](), negated, *behind), AT)

    pattern = sequence()
    if draw(st.integers(0, 2)) == 0:
        return Alternative((pattern, chosen(draw, [unit, sequence])()), AT)
    return pattern
