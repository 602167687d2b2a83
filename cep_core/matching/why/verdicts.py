"""Why a binding is a match, or why it is none: every condition of the query with the values found, by definition.

A binding is a path: (row, variable) pairs in the order of time. The verdict that was decided last is the deciding one:
before its last event came, the match could still fail. Plain Python, one match at a time (`instances`, `absences`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import pyarrow as pa

from cep_core.language.patterns.bind.alike import choices
from cep_core.language.patterns.query import Adjacency, EdgePredicate, KeyClass, Query
from cep_core.language.patterns.text.printing import print_expression, print_pattern
from cep_core.language.patterns.tree import Expression
from cep_core.language.patterns.values.expressions import column
from cep_core.language.patterns.walk import variables_of
from cep_core.matching.match_path import Path
from cep_core.matching.reference import Rest, continuations
from cep_core.matching.why.absences import Absence, Absences, bound_by, conditions
from cep_core.matching.why.instances import Bound, Instance, instances, neighbours
from cep_core.matching.why.readings import can_be_read


class Kind(StrEnum):
    """What a verdict is about."""

    ORDER = "order"
    EQUIVALENCE = "equivalence"
    CONDITION = "condition"
    ABSENCE = "absence"
    WINDOW = "window"


@dataclass(frozen=True)
class Verdict:
    """One condition, judged."""

    kind: Kind
    said: str
    """The condition as the query says it."""
    holds: bool
    found: tuple[str, ...]
    """The condition with the values found, for each event or pair that it was judged on; failing ones first."""
    decided: int
    """The row of the last event that it was judged on."""
    absence: Absence | None = None


class Judge:
    """Judges bindings of a matching query over a log; `events` in (ts, seq) order with `pos`."""

    def __init__(self, query: Query, events: pa.Table) -> None:
        self._query = query
        self._events = events
        self._absences = Absences(query, events)
        self._lists = frozenset(variable.name for variable in query.variables if variable.kleene)
        self._negated = frozenset(variable.name for variable in query.variables if variable.negated)

    def verdicts(self, path: Path, window_start: int | None = None) -> tuple[Verdict, ...]:
        """A verdict for each condition that applies to the binding: equivalences, conditions, absences, the window.

        `window_start`: the window in which the match was found, with SLIDE; without it the last one that holds the
        binding's first event. The order of time gets a verdict only where it is broken.
        """
        window_start = self.window_start(path) if window_start is None else window_start
        bound = bound_by(path)
        return (
            *self._order(path),
            *self.equivalences(bound),
            *self._conditions(path, bound),
            *(self._absence(one, path) for one in self._absences.of(path, window_start)),
            self.window(path, window_start),
        )

    def equivalences(self, bound: Bound) -> Iterator[Verdict]:
        """A verdict for each equivalence of which some member is bound."""
        for key in self._query.key_classes:
            yield from self._equivalence(key, bound)

    def judged(self, said: Sequence[Expression], bound: Bound) -> Iterator[Verdict]:
        """A verdict for each of these conditions on the whole match that applies."""
        for expression in said:
            found = list(instances(expression, self._events, bound, self._lists))
            yield from _condition(print_expression(expression), found)

    def bindings(self, rows: Sequence[int], most: int = 100) -> list[Path]:
        """The ways in which the pattern can bind exactly these events, conditions aside: at most so many."""
        kinds = [str(column(self._events.slice(row, 1), "event_type")[0]) for row in rows]
        found: list[Path] = []
        seen: set[tuple[Rest, Path]] = set()  # readings of one binding meet again
        dead: set[tuple[Rest, int]] = set()  # from where no binding of the rest of the events comes about

        def go_on(rest: Rest, path: Path) -> None:
            if (rest, path) in seen or (rest, len(path)) in dead:
                return
            seen.add((rest, path))
            before = len(found)
            for unit, after, _, _ in continuations(rest):
                if len(found) == most:
                    return
                if unit is None and len(path) == len(rows):
                    found.append(path)
                elif unit is not None and len(path) < len(rows) and unit.event_type == kinds[len(path)]:
                    go_on(after, (*path, (rows[len(path)], unit.variable)))
            if len(found) == before:
                dead.add((rest, len(path)))

        go_on((self._query.pattern,), ())
        return list(dict.fromkeys(found))

    def _ts(self, row: int) -> int:
        return int(self._events["ts"][row].as_py())

    def _clock(self, row: int) -> int:
        """What the window counts."""
        return int(self._events["pos" if self._query.window.events else "ts"][row].as_py())

    def _order(self, path: Path) -> Iterator[Verdict]:
        if self._query.schema.ties.value == "ordered" or self._within_choices(path):
            return
        for (one, left), (other, right) in pairwise(path):
            if self._ts(one) >= self._ts(other):
                text = f"{self._ts(one)} < {self._ts(other)}"
                yield Verdict(Kind.ORDER, f"{left}.ts < {right}.ts", False, (text,), other)

    def _within_choices(self, path: Path) -> bool:
        """Whether in some reading of the path only neighbours of one ANY are concurrent."""
        if not any(True for _ in choices(self._query.pattern)):
            return False
        late = [place for place, (one, other) in enumerate(pairwise(path), 1) if self._ts(one[0]) >= self._ts(other[0])]
        return can_be_read(self._query.pattern, path, late)

    def _equivalence(self, key: KeyClass, bound: Bound) -> Iterator[Verdict]:
        members = [member for member in key.members if member[0] not in self._negated and bound.get(member[0])]
        rows = [(row, attribute) for variable, attribute in members for row in bound[variable]]
        if not rows:
            return
        values = {row: column(self._events.slice(row, 1), attribute)[0].as_py() for row, attribute in sorted(rows)}
        distinct = list(dict.fromkeys(values.values()))
        names = dict.fromkeys(attribute for _, attribute in key.members)
        said = f"[{key.name}]" if len(names) == 1 else " = ".join(f"{v}.{attribute}" for v, attribute in members)
        holds = None not in distinct and len(distinct) == 1
        yield Verdict(
            Kind.EQUIVALENCE, said, holds, tuple("NULL" if v is None else str(v) for v in distinct), max(values)
        )

    def _conditions(self, path: Path, bound: Bound) -> Iterator[Verdict]:
        for vertex in self._query.vertex_predicates:
            if vertex.variable not in self._negated:
                found = list(instances(vertex.expression, self._events, bound, self._lists))
                yield from _condition(print_expression(vertex.expression), found)
        for expression, edge in conditions(self._query):
            if not self._negated & set(variables_of(expression)):
                yield from _condition(print_expression(expression), self._judged(expression, edge, path, bound))

    def _judged(self, expression: Expression, edge: EdgePredicate | None, path: Path, bound: Bound) -> list[Instance]:
        if edge is None or edge.adjacency is Adjacency.BINDING:
            return list(instances(expression, self._events, bound, self._lists))
        return [
            neighbours(edge, self._events, one, other)
            for (one, left), (other, right) in pairwise(path)
            if (left, right) == (edge.source, edge.target)
            and not (edge.first_only and other != bound[right][0])
            and not (edge.last_only and one != bound[left][-1])
        ]

    def _absence(self, absence: Absence, path: Path) -> Verdict:
        last = path[-1][0] if absence.before is None else absence.before
        return Verdict(Kind.ABSENCE, f"NOT {print_pattern(absence.body.body)}", not absence.happens, (), last, absence)

    def window_start(self, path: Path) -> int | None:
        """The last window, with SLIDE, that holds the binding's first event."""
        slide = self._query.window.slide
        return None if slide is None else self._clock(path[0][0]) // slide * slide

    def window(self, path: Path, window_start: int | None) -> Verdict:
        """Whether the binding fits the window; with SLIDE the window that starts there."""
        window, first, last = self._query.window, path[0][0], path[-1][0]
        said = f"WITHIN {window.size}{' EVENTS' if window.events else ''}"
        said += "" if window.slide is None else f" SLIDE {window.slide}{' EVENTS' if window.events else ''}"
        if window_start is not None:
            end = window_start + window.size
            holds, found = self._clock(last) < end, f"[{window_start}, {end})"
        else:
            span = self._clock(last) - self._clock(first) + (1 if window.events else 0)
            holds, found = span <= window.size, str(span)
        return Verdict(Kind.WINDOW, said, holds, (found,), last)


def _condition(said: str, found: Sequence[Instance]) -> Iterator[Verdict]:
    if found:
        ordered = sorted(found, key=lambda one: one.holds)
        rows = [row for one in found for row in one.rows]
        texts = tuple(one.text for one in ordered)
        yield Verdict(Kind.CONDITION, said, ordered[0].holds, texts, max(rows, default=-1))


def deciding(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The condition that was decided last; of several the one that the query says last; None without conditions."""
    judged = [one for one in verdicts if one.kind is Kind.CONDITION]
    return max(reversed(judged), key=lambda one: one.decided, default=None)
