"""Random propositional policies over tables of events, and what they say by definition, sub-log by sub-log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from cep_core.events.logs.time_points import with_points
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import Position
from cep_core.language.patterns.bind.conditions import bind_condition
from cep_core.language.propositional.policy import EventAtom, PropositionalPolicy
from cep_core.language.temporal.formulas import Formula, Implies, Predicate
from cep_core.language.temporal.reach import future_reach
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.propositional.reference import truth
from cep_core.monitoring.shared.why.proof import ProofTree
from cep_core.testing.choice import chosen
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import trace_of_points

Row = tuple[Any, ...]
DAYS = (0, 8, 16, 30)
_KEYS = {"k": Attribute("k", AttributeType.INT), "g": Attribute("g", AttributeType.STRING)}
_VALUE = {"v": Attribute("v", AttributeType.INT)}
SCHEMA = LogSchema({"P": {**_KEYS, **_VALUE}, "Q": _KEYS, "Tick": {}, "Half": {"k": _KEYS["k"]}})
_HIGH = bind_condition("v >= 3 AND ts > 0", "P", SCHEMA)
ATOMS = {"p": EventAtom("P"), "q": EventAtom("Q"), "r": EventAtom("P", _HIGH.expression, _HIGH.attributes)}


@dataclass(frozen=True)
class World:
    """A policy and a log; `points` is every point of the log."""

    policy: PropositionalPolicy
    events: pa.Table
    points: pa.Table

    @property
    def after(self) -> int:
        return future_reach(self.policy.core) or 0

    def of(self, formula: Formula) -> World:
        """The same log, asked by another formula."""
        return World(policy_of(formula, self.policy.for_each), self.events, self.points)

    def is_heard(self, point: Row) -> bool:
        """Whether an event of a type that atoms are of is at a point; each point of a sub-log has an event."""
        kinds = {atom.event_type for atom in ATOMS.values()}
        return bool(self.policy.for_each) or any(
            (row["ts"], row["offset"]) == point and row["event_type"] in kinds for row in self.events.to_pylist()
        )

    def logs(self) -> Iterator[tuple[Row, list[Row], list[bool], list[bool]]]:
        """Of each sub-log: its values, its points (ts, offset), where the policy holds, and where it judges."""
        rows = self.events.to_pylist()
        names = self.policy.for_each
        full = [row for row in rows if all(name in SCHEMA.attributes_of(row["event_type"]) for name in names)]
        values = {tuple(row[name] for name in names) for row in full}
        for own_values in sorted(v for v in values if None not in v) if names else [()]:
            own = [row for row in full if tuple(row[name] for name in names) == own_values]
            named = sorted({(row["ts"], row["offset"]) for row in own})
            points = [(ts, sum(earlier[0] == ts for earlier in named[:n])) for n, (ts, _) in enumerate(named)]
            if not names:
                points = [(p["ts"], n) for p in self.points.to_pylist() for n in range(p["points"])]
                named = points
            held = [
                {
                    name
                    for row in own
                    if (row["ts"], row["offset"]) == point
                    for name, atom in ATOMS.items()
                    if atom.event_type == row["event_type"] and (name != "r" or self._high(row))
                }
                for point in named
            ]
            trace = trace_of_points(list(zip([ts for ts, _ in points], held, strict=True)))
            formula = self.policy.formula
            judges = truth(formula.left, trace).tolist() if isinstance(formula, Implies) else [True] * len(points)
            yield own_values, points, truth(formula, trace).tolist(), judges

    def _high(self, row: dict[str, Any]) -> bool:
        return row["v"] is not None and row["v"] >= 3 and row["ts"] > 0

    def days_of(self, points: list[Row]) -> Iterator[list[int]]:
        """The points whose verdicts are certain on each day."""
        for begin, end in pairwise(DAYS):
            yield [n for n, (ts, _) in enumerate(points) if begin <= ts + self.after < end]

    def violations(self) -> list[list[Row]]:
        """The violations of each day, in order: ts, offset, values."""
        by_day: list[list[Row]] = [[] for _ in pairwise(DAYS)]
        for values, points, holds, _ in self.logs():
            for day, own in enumerate(self.days_of(points)):
                by_day[day] += [(*points[n], *values) for n in own if not holds[n]]
        return [sorted(of_day) for of_day in by_day]

    def episodes(self) -> list[list[Row]]:
        """The episodes of each day, in order: first and last point, number of points, touched ends, values, share."""
        by_day: list[list[Row]] = [[] for _ in pairwise(DAYS)]
        for values, points, holds, judges in self.logs():
            for day, own in enumerate(self.days_of(points)):
                size = sum(self.is_heard(points[n]) or not holds[n] for n in own)
                judging = [n for n in own if judges[n]]
                run: list[int] = []
                for n in [*judging, None]:
                    if n is not None and not holds[n]:
                        run.append(n)
                    elif run:
                        touches = (run[0] == judging[0], run[-1] == judging[-1])
                        by_day[day].append(
                            (*points[run[0]], *points[run[-1]], len(run), *touches, *values, len(run) / size)
                        )
                        run = []
        return [sorted(of_day, key=lambda row: (*row[:2], *row[7:-1])) for of_day in by_day]

    def judged(self) -> list[list[Row]]:
        """The values of the sub-logs of which some point judges, of each day, in order."""
        by_day: list[list[Row]] = [[] for _ in pairwise(DAYS)]
        for values, points, _, judges in self.logs():
            for day, own in enumerate(self.days_of(points)):
                by_day[day] += [values] if any(judges[n] for n in own) else []
        return [sorted(of_day) for of_day in by_day]


def policy_of(formula: Formula, for_each: tuple[str, ...] = ()) -> PropositionalPolicy:
    return PropositionalPolicy("", "p.mtl", SCHEMA, Position(1, 1), formula, without_sugar(formula), ATOMS, for_each)


def events_of(rows: list[Row]) -> pa.Table:
    """Events in (ts, seq) order: type, ts, k, g, v, batch."""
    rows = sorted(rows, key=lambda row: row[1])
    kind, ts, k, g, v, batch = zip(*rows, strict=True) if rows else [()] * 6
    columns = {"event_type": (kind, "string"), "ts": (ts, "int64"), "seq": (range(len(rows)), "int64")}
    columns |= {"k": (k, "int64"), "g": (g, "string"), "v": (v, "int64"), "batch": (batch, "int64")}
    return pa.table({name: pa.array(list(values), type_) for name, (values, type_) in columns.items()})


# Made once: making strategies for each world takes longer than drawing from them.
_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["P", "Q", "P", "Q", "Tick", "Half"]),
        st.sampled_from([*range(12), 2, 3, 20, 25]),
        st.sampled_from([1, 2, 1, None]),
        st.sampled_from(["x", "y", "x", None]),
        st.sampled_from([0, 3, 5, None]),
        st.integers(0, 2),
    ),
    max_size=25,
)
_FORMULAS = propositional_formulas(sugar=True, depth=2)
_POLICIES = st.one_of(_FORMULAS, st.builds(Implies, _FORMULAS, _FORMULAS))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    rows = [(kind, ts, *_known(kind, k, g, v), batch) for kind, ts, k, g, v, batch in draw(_ROWS)]
    events, points = with_points(events_of(rows), chosen(draw, ["by_timestamp", "by_event", "batch"]))
    formula = draw(_POLICIES)
    return World(policy_of(formula, chosen(draw, [(), ("k",), ("k", "g"), ("g",)])), events, points)


def _known(kind: str, k: Any, g: Any, v: Any) -> Row:
    """The values that a type of event has."""
    of_type = SCHEMA.attributes_of(kind)
    return tuple(value if name in of_type else None for name, value in (("k", k), ("g", g), ("v", v)))


def rows_of(table: pa.Table) -> list[Row]:
    """The rows of a merged table, without `certain`."""
    return list(zip(*[column.to_pylist() for column in table.columns[:-1]], strict=True))


def basis(tree: ProofTree) -> set[tuple[str, object]]:
    """What a proof rests on, by definition: its atoms, and the places of those that hold."""
    names = set()
    for leaf in tree.leaves():
        assert isinstance(leaf.formula, Predicate)
        where = "absent" if not leaf.holds else "here" if leaf.point == tree.point else leaf.point
        names.add((leaf.formula.event_type, where))
    return names
