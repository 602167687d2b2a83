"""Explains why a binding is a match, or why it is not: every condition of the query, with the binding's values.

A binding is a path: (row, variable) pairs in time order. The condition that was settled last is the deciding one:
until its last event came, the match could still fail. This is plain Python, one match at a time (`instances`,
`absences`).
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
    """The kind of condition that a verdict judges."""

    ORDER = "order"
    EQUIVALENCE = "equivalence"
    CONDITION = "condition"
    ABSENCE = "absence"
    WINDOW = "window"


@dataclass(frozen=True)
class Verdict:
    """The result of judging one condition on a binding."""

    kind: Kind
    said: str
    """The condition as the query states it."""
    holds: bool
    values: tuple[str, ...]
    """The condition with its values, for each event or pair on which it was judged; failures first."""
    decided: int
    """The row of the last event on which it was judged."""
    absence: Absence | None = None


class Judge:
    """Judges bindings of a matching query over a log. `events` are in (ts, seq) order and have a column `pos`."""

    def __init__(self, query: Query, events: pa.Table) -> None:
        self._query = query
        self._events = events
        self._absences = Absences(query, events)
        self._lists = frozenset(variable.name for variable in query.variables if variable.kleene)
        self._negated = frozenset(variable.name for variable in query.variables if variable.negated)

    def verdicts(self, path: Path, window_start: int | None = None) -> tuple[Verdict, ...]:
        """A verdict for each condition that applies to the binding: equivalences, conditions, absences, the window.

        `window_start`: with SLIDE, the start of the window that contains the match; by default, the last window that
        contains the binding's first event. Time order has a verdict only if it is violated.
        """
        window_start = self.window_start(path) if window_start is None else window_start
        bound = bound_by(path)
        return (
            *self._order(path),
            *self.equivalences(bound),
            *self._conditions(path, bound),
            *(self._absence(absence, path) for absence in self._absences.of(path, window_start)),
            self.window(path, window_start),
        )

    def equivalences(self, bound: Bound) -> Iterator[Verdict]:
        """A verdict for each equivalence with at least one bound member."""
        for key in self._query.key_classes:
            yield from self._equivalence(key, bound)

    def judged(self, said: Sequence[Expression], bound: Bound) -> Iterator[Verdict]:
        """A verdict for each of these conditions on the whole match that applies."""
        for expression in said:
            judged_instances = list(instances(expression, self._events, bound, self._lists))
            yield from _condition(print_expression(expression), judged_instances)

    def bindings(self, rows: Sequence[int], most: int = 100) -> list[Path]:
        """The ways in which the pattern can bind exactly these events, without conditions; at most `most` of them."""
        kinds = [str(column(self._events.slice(row, 1), "event_type")[0]) for row in rows]
        full_paths: list[Path] = []
        seen: set[tuple[Rest, Path]] = set()  # several readings lead to the same binding
        dead: set[tuple[Rest, int]] = set()  # the rest of the events cannot be bound from here

        def go_on(rest: Rest, path: Path) -> None:
            if (rest, path) in seen or (rest, len(path)) in dead:
                return
            seen.add((rest, path))
            before = len(full_paths)
            for unit, after, _, _ in continuations(rest):
                if len(full_paths) == most:
                    return
                if unit is None and len(path) == len(rows):
                    full_paths.append(path)
                elif unit is not None and len(path) < len(rows) and unit.event_type == kinds[len(path)]:
                    go_on(after, (*path, (rows[len(path)], unit.variable)))
            if len(full_paths) == before:
                dead.add((rest, len(path)))

        go_on((self._query.pattern,), ())
        return list(dict.fromkeys(full_paths))

    def _ts(self, row: int) -> int:
        return int(self._events["ts"][row].as_py())

    def _clock(self, row: int) -> int:
        """The time or the position of an event, whichever the window measures."""
        return int(self._events["pos" if self._query.window.events else "ts"][row].as_py())

    def _order(self, path: Path) -> Iterator[Verdict]:
        if self._query.schema.ties.value == "ordered" or self._within_choices(path):
            return
        for (row, variable), (next_row, next_variable) in pairwise(path):
            if self._ts(row) >= self._ts(next_row):
                text = f"{self._ts(row)} < {self._ts(next_row)}"
                yield Verdict(Kind.ORDER, f"{variable}.ts < {next_variable}.ts", False, (text,), next_row)

    def _within_choices(self, path: Path) -> bool:
        """Whether some reading of the path has concurrent neighbours only inside one ANY."""
        if not any(True for _ in choices(self._query.pattern)):
            return False
        late = [
            place
            for place, (step, next_step) in enumerate(pairwise(path), 1)
            if self._ts(step[0]) >= self._ts(next_step[0])
        ]
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
                judged = list(instances(vertex.expression, self._events, bound, self._lists))
                yield from _condition(print_expression(vertex.expression), judged)
        for expression, edge in conditions(self._query):
            if not self._negated & set(variables_of(expression)):
                yield from _condition(print_expression(expression), self._judged(expression, edge, path, bound))

    def _judged(self, expression: Expression, edge: EdgePredicate | None, path: Path, bound: Bound) -> list[Instance]:
        if edge is None or edge.adjacency is Adjacency.BINDING:
            return list(instances(expression, self._events, bound, self._lists))
        return [
            neighbours(edge, self._events, row, next_row)
            for (row, variable), (next_row, next_variable) in pairwise(path)
            if (variable, next_variable) == (edge.source, edge.target)
            and not (edge.first_only and next_row != bound[next_variable][0])
            and not (edge.last_only and row != bound[variable][-1])
        ]

    def _absence(self, absence: Absence, path: Path) -> Verdict:
        last = path[-1][0] if absence.before is None else absence.before
        return Verdict(Kind.ABSENCE, f"NOT {print_pattern(absence.body.body)}", not absence.happens, (), last, absence)

    def window_start(self, path: Path) -> int | None:
        """With SLIDE, the start of the last window that contains the binding's first event; else None."""
        slide = self._query.window.slide
        return None if slide is None else self._clock(path[0][0]) // slide * slide

    def window(self, path: Path, window_start: int | None) -> Verdict:
        """Whether the binding fits the window; with SLIDE, the window that starts at `window_start`."""
        window, first, last = self._query.window, path[0][0], path[-1][0]
        said = f"WITHIN {window.size}{' EVENTS' if window.events else ''}"
        said += "" if window.slide is None else f" SLIDE {window.slide}{' EVENTS' if window.events else ''}"
        if window_start is not None:
            end = window_start + window.size
            holds, text = self._clock(last) < end, f"[{window_start}, {end})"
        else:
            span = self._clock(last) - self._clock(first) + (1 if window.events else 0)
            holds, text = span <= window.size, str(span)
        return Verdict(Kind.WINDOW, said, holds, (text,), last)


def _condition(said: str, instances: Sequence[Instance]) -> Iterator[Verdict]:
    if instances:
        ordered = sorted(instances, key=lambda instance: instance.holds)
        rows = [row for instance in instances for row in instance.rows]
        texts = tuple(instance.text for instance in ordered)
        yield Verdict(Kind.CONDITION, said, ordered[0].holds, texts, max(rows, default=-1))


def deciding(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The condition settled last; among several, the last one in the query; None without conditions."""
    judged = [verdict for verdict in verdicts if verdict.kind is Kind.CONDITION]
    return max(reversed(judged), key=lambda verdict: verdict.decided, default=None)
