"""A pattern as a small automaton: the states of a match, and the arrows between them.

Sequences of units and closures of units are drawn as in paper 04, as NFA^b (SASE++, section 2.2, Fig. 1). Every other
pattern is drawn by its template (GRETA, section 4.1), whose arrows say which variable's event may come next. States
stand in the order of the pattern: from left to right, on a phone from top to bottom. One data unit is one inch.
"""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.drawing.marks import Words
from cep_core.drawing.plot import Plot
from cep_core.drawing.tones import FAINT, QUIET
from cep_core.language.patterns.automata.template import template_of
from cep_core.language.patterns.explain.nfa import states_of
from cep_core.language.patterns.query import Query
from jobs.reports.figures.drawing import diagram
from jobs.reports.figures.drawing.figure import NARROW, WIDE, Figure
from jobs.reports.figures.drawing.palette import TODAY
from jobs.reports.words.quantities import counted
from jobs.reports.words.values import listed, shown

MOST = 12
"""The most states that are drawn."""
_LETTER, _SMALL = 0.075, 0.056
"""Widths of a letter of a state's name and of an arrow's words, in inches."""
_BOX, _GAP, _ARC = 0.34, 0.36, 0.5
"""Heights of a box, of the space between two boxes one above the other, and of an arc."""


@dataclass(frozen=True)
class Arrow:
    """From state number `source` to `target`.

    `words`: the events that lead there, one line for each edge; empty in a template.
    """

    source: int
    target: int
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """States in order, those in which a match may begin and end, and arrows."""

    states: tuple[str, ...]
    starts: frozenset[int]
    ends: frozenset[int]
    arrows: tuple[Arrow, ...]


def automaton_figure(query: Query, name: str) -> Figure | None:
    """None if there are more states than a page can show."""
    drawn = picture_of(query)
    if len(drawn.states) > MOST:
        return None
    across = _length(drawn) <= WIDE - 0.5
    lines = max((len(a.words) for a in drawn.arrows if a.source == a.target), default=0)
    loops = any(arrow.source == arrow.target for arrow in drawn.arrows)
    backward = any(arrow.target < arrow.source for arrow in drawn.arrows)
    forward = any(arrow.target > arrow.source + 1 for arrow in drawn.arrows)
    above = max(0.3 * loops + 0.16 * lines, _ARC * forward) + 0.1
    below = max(_ARC * backward, 0.2) + 0.1
    tall = len(drawn.states) * (_BOX + _GAP) + 0.2

    def draw(plot: Plot) -> None:
        plot.bare = True
        if across and not plot.narrow:
            plot.x.limits(0, WIDE - 0.2)
            plot.y.limits(-_BOX / 2 - below, _BOX / 2 + above)
            _draw_across(plot, drawn)
        else:
            plot.x.limits(0, (NARROW if plot.narrow else WIDE) - 0.2)
            plot.y.limits(-tall + 0.1, 0.1)
            _draw_down(plot, drawn)

    steps = [
        f"{drawn.states[a.source]} to {drawn.states[a.target]} {' or '.join(a.words)}".rstrip() for a in drawn.arrows
    ]
    last = listed([shown(drawn.states[end]) for end in sorted(drawn.ends)])
    return Figure(
        f"{name}-automaton",
        f"Automaton of {counted(len(drawn.states), 'state')}: {listed([shown(step) for step in steps], 20)}; a match "
        f"ends in {last}.",
        f"The pattern as an automaton of {counted(len(drawn.states), 'state')}. A match begins at the arrow from "
        f"nowhere and ends in a double frame. {_key(drawn)}",
        ["from", "to", "arrow"],
        [[drawn.states[a.source], drawn.states[a.target], " or ".join(a.words)] for a in drawn.arrows],
        draw,
        (_BOX + above + below + 0.1 if across else tall + 0.1, tall + 0.1),
    )


def picture_of(query: Query) -> Picture:
    """The picture of a query's pattern."""
    states = states_of(query)
    if states is None:
        template = template_of(query)
        number = {name: place for place, name in enumerate(template.states)}
        edges = sorted((number[source], number[target]) for source, target in template.edges)
        return Picture(
            template.states,
            frozenset(number[name] for name in template.start),
            frozenset(number[name] for name in template.end),
            tuple(Arrow(source, target) for source, target in edges),
        )
    number = {state.name: place for place, state in enumerate(states)}
    arrows: dict[tuple[int, int], tuple[str, ...]] = {}
    for state in states:
        for edge in state.leaving:
            pair = number[state.name], number[edge.target]
            arrows[pair] = (*arrows.get(pair, ()), f"{edge.kind} {edge.event_type}".rstrip())
    return Picture(
        tuple(state.name for state in states),
        frozenset({0}),
        frozenset({len(states) - 1}),
        tuple(Arrow(*pair, words) for pair, words in arrows.items()),
    )


def _key(drawn: Picture) -> str:
    if any(arrow.words for arrow in drawn.arrows):
        return (
            "Begin and take bind an event to the state's variable; ignore skips an event; proceed moves on without one."
        )
    return "An arrow says whose event may come next in a match."


def _width(name: str) -> float:
    return max(0.34, _LETTER * len(shown(name, 24)) + 0.16)


def _wide(words: tuple[str, ...]) -> float:
    return max((len(shown(line, 30)) for line in words), default=0) * _SMALL


def _spaces(drawn: Picture) -> list[float]:
    """The space to the right of each state except the last, for the words of its arrow and of loops beside it."""
    spaces = []
    for place in range(len(drawn.states) - 1):
        words = [_wide(a.words) + 0.2 for a in drawn.arrows if (a.source, a.target) == (place, place + 1)]
        loops = [
            max(0.0, _wide(a.words) - _width(drawn.states[n])) / 2
            for n in (place, place + 1)
            for a in drawn.arrows
            if a.source == a.target == n
        ]
        spaces.append(max([0.45, *words, sum(loops) + 0.1]))
    return spaces


def _length(drawn: Picture) -> float:
    return 0.65 + sum(_width(name) for name in drawn.states) + sum(_spaces(drawn))


def _draw_across(plot: Plot, drawn: Picture) -> None:
    spaces = [*_spaces(drawn), 0.0]
    box_left, middles = 0.55, []
    for name, space in zip(drawn.states, spaces, strict=True):
        middles.append(box_left + _width(name) / 2)
        box_left += _width(name) + space
    for place, name in enumerate(drawn.states):
        _box(plot, (middles[place], 0.0), name, end=place in drawn.ends)
        if place in drawn.starts:
            edge = middles[place] - _width(name) / 2
            _arrow(plot, (edge - 0.38, 0.0) if place == 0 else (edge - 0.2, 0.4), (edge, 0.0 if place == 0 else 0.1))
    for arrow in drawn.arrows:
        source_x, target_x = middles[arrow.source], middles[arrow.target]
        half = _width(drawn.states[arrow.source]) / 2, _width(drawn.states[arrow.target]) / 2
        if arrow.source == arrow.target:
            _arrow(plot, (source_x - 0.1, _BOX / 2), (source_x + 0.1, _BOX / 2), bend=-1.9)
            _words(plot, (source_x, _BOX / 2 + 0.3), arrow.words, side="above")
        elif arrow.target == arrow.source + 1:
            _arrow(plot, (source_x + half[0], 0.0), (target_x - half[1], 0.0))
            _words(plot, ((source_x + half[0] + target_x - half[1]) / 2, -0.06), arrow.words, side="below")
        else:
            side = 1 if arrow.target > arrow.source else -1
            bend = min(0.35, 0.7 / abs(target_x - source_x)) * -1
            _arrow(plot, (source_x, side * _BOX / 2), (target_x, side * _BOX / 2), bend=bend)
            _words(plot, ((source_x + target_x) / 2, side * (_BOX / 2 + 0.32)), arrow.words, side="middle")


def _draw_down(plot: Plot, drawn: Picture) -> None:
    middle = 0.55 + max(_width(name) for name in drawn.states) / 2

    def height(place: int) -> float:
        return -(place * (_BOX + _GAP) + 0.2 + _BOX / 2)

    for place, name in enumerate(drawn.states):
        _box(plot, (middle, height(place)), name, end=place in drawn.ends)
        if place in drawn.starts:
            edge = middle - _width(name) / 2
            _arrow(plot, (edge - 0.38, height(place)), (edge, height(place)))
    for arrow in drawn.arrows:
        source_y, target_y = height(arrow.source), height(arrow.target)
        half = _width(drawn.states[arrow.source]) / 2
        if arrow.source == arrow.target:
            _arrow(plot, (middle + half, source_y + 0.08), (middle + half, source_y - 0.08), bend=-1.9)
            _words(plot, (middle + half + 0.3, source_y), arrow.words, side="middle", anchor="start")
        elif arrow.target == arrow.source + 1:
            _arrow(plot, (middle, source_y - _BOX / 2), (middle, target_y + _BOX / 2))
            _words(plot, (middle + 0.08, (source_y + target_y) / 2), arrow.words, side="middle", anchor="start")
        else:
            # forward on the right, back on the left
            side, edge = (1 if target_y < source_y else -1), _width(drawn.states[arrow.target]) / 2
            bend = -min(0.7, 0.6 / abs(target_y - source_y))
            _arrow(plot, (middle + side * half, source_y), (middle + side * edge, target_y), bend=bend)


def _box(plot: Plot, at: tuple[float, float], name: str, *, end: bool) -> None:
    width = _width(name)
    plot.add(diagram.Frame(at, width, _BOX, TODAY, FAINT))
    if end:
        plot.add(diagram.Frame(at, width - 0.09, _BOX - 0.09, TODAY, rim=0.8))
    plot.add(Words(*at, shown(name, 24), anchor="middle"))


def _arrow(plot: Plot, start: tuple[float, float], end: tuple[float, float], bend: float = 0.0) -> None:
    plot.add(diagram.Arrow(start, end, QUIET, bend))


def _words(plot: Plot, at: tuple[float, float], words: tuple[str, ...], *, side: str, anchor: str = "middle") -> None:
    if words:
        plot.add(Words(*at, "\n".join(shown(line, 30) for line in words), anchor=anchor, side=side, size=8))
