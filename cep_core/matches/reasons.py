"""Why events are a match, or why they are none: each condition of the query with the values that decided it.

One match at a time, in plain Python over the query's definition (`cep_core.matching.why`). Cost: reading the log, and
of events that the strategy passed over, one evaluation of the query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from cep_core.events.by_seq import BySeq
from cep_core.language.budget import Budget
from cep_core.language.explanation import Readable
from cep_core.language.patterns.query import Query, Strategy
from cep_core.matching.imprecise.why import confidence_of_pair, orders_of_match
from cep_core.matching.match_path import Path, path_of
from cep_core.matching.why.nearest import judge_of, nearest_binding
from cep_core.matching.why.pair_verdicts import PairJudge
from cep_core.matching.why.verdicts import Kind, Verdict, deciding

_ORDER_FREE = (Kind.EQUIVALENCE, Kind.CONDITION)
"""Kinds of conditions that do not depend on which of several orders the events have."""


@dataclass(frozen=True)
class JudgedCondition:
    """A condition as the query states it, with its values for each event or pair of events; failures first.

    `seq`: the last event on which it was judged, None if there is none.
    """

    condition: str
    holds: bool
    values: tuple[str, ...]
    seq: int | None


@dataclass(frozen=True)
class Reasons(Readable):
    """Why events are a match, or why not. `str` gives a text for people, `to_dict` plain values.

    `binding`: the events of each variable, by `seq`. `conditions`: those that fail first. `decided_by`: the condition
    that was settled last. `confidence`: of a query WITH CONFIDENCE. `note`: what no condition says.
    """

    holds: bool
    binding: Mapping[str, tuple[int, ...]]
    conditions: tuple[JudgedCondition, ...]
    decided_by: JudgedCondition | None = None
    confidence: float | None = None
    note: str = ""

    def __str__(self) -> str:
        bound = "; ".join(f"{name} = {_numbers(seqs)}" for name, seqs in self.binding.items())
        lines = [("a match" if self.holds else "no match") + (f": {bound}" if bound else "")]
        for each in self.conditions:
            values = ": " + ", ".join(each.values) if each.values else ""
            lines.append(f"  {'holds' if each.holds else 'fails'}  {each.condition}{values}")
        if self.decided_by is not None:
            lines.append(f"  decided by {self.decided_by.condition}, with event {self.decided_by.seq}")
        if self.confidence is not None:
            lines.append(f"  confidence {self.confidence:.3g}")
        return "\n".join([*lines, *([f"  {self.note}"] if self.note else [])])

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)


class MatchJudge:
    """Tells of events of one log why they are a match of a query, or why not.

    `events`: in (ts, seq) order, with `pos`. `listed`: gives the rows of all matches; asked only if a strategy may
    have passed over a binding of which every condition holds.
    """

    def __init__(self, query: Query, events: pa.Table, listed: Callable[[], pa.Table]) -> None:
        self._query, self._events, self._listed = query, events, listed
        self._by_seq = BySeq(events)
        self._judge = judge_of(query, events)

    def match(self, row: Mapping[str, Any], budget: Budget) -> Reasons:
        """Why a listed match is one. `row`: its variables with `seq`, and with SLIDE its `window_start`, a number.

        Raises ValueError for a match of another log.
        """
        path = path_of(self._query, self._by_seq, row)
        types = {variable.name: variable.event_type for variable in self._query.positive}
        for place, name in path:
            if str(self._events["event_type"][place]) != types[name]:
                raise ValueError(
                    f"event {self._seq(place)} is no '{types[name]}', as variable {name} asks for: the matches are of "
                    "another log or query"
                )
        if self._query.confidence is None:
            return self._reasons(path, self._judge.verdicts(path, row.get("window_start")), holds=True)
        if isinstance(self._judge, PairJudge):
            confidence, _ = confidence_of_pair(self._query, self._events, path)
            likeliest = path
        else:
            orders = orders_of_match(self._query, self._events, path, budget)
            confidence, likeliest = sum(order.probability for order in orders if order.holds), orders[0].path
        verdicts = [verdict for verdict in self._judge.verdicts(likeliest) if verdict.kind in _ORDER_FREE]
        return self._reasons(path, verdicts, holds=True, confidence=confidence)

    def events(self, seqs: Sequence[int]) -> Reasons:
        """Why these events are no match, or that they are one. Raises ValueError for events that the log lacks."""
        rows = sorted(int(row) for row in self._by_seq.rows(sorted(set(seqs))))
        nearest = nearest_binding(self._judge, rows)
        if nearest is None:
            types = ", ".join(str(self._events["event_type"][row]) for row in rows)
            return Reasons(False, {}, (), note=f"the pattern binds no events of types {types} in this order")
        path, verdicts = nearest
        if not all(verdict.holds for verdict in verdicts):
            return self._reasons(path, verdicts, holds=False)
        if self._query.strategy is Strategy.ANY:
            return self._reasons(path, verdicts, holds=True)
        runs = runs_from(self._query, self._by_seq, self._listed(), rows[0])
        note = f"every condition holds, but the strategy is {self._query.strategy.value}: "
        if runs:
            note += f"the run from event {self._seq(rows[0])} took {_numbers([self._seq(row) for row, _ in runs[0]])}"
        else:
            note += f"the run from event {self._seq(rows[0])} came to no match"
        return self._reasons(path, verdicts, holds=path in runs, note="" if path in runs else note)

    def _reasons(
        self,
        path: Path,
        verdicts: Sequence[Verdict],
        *,
        holds: bool,
        confidence: float | None = None,
        note: str = "",
    ) -> Reasons:
        binding = {
            variable.name: tuple(self._seq(row) for row, name in path if name == variable.name)
            for variable in self._query.positive
        }
        decided = deciding(verdicts) if holds and confidence is None else None
        conditions = tuple(self._judged(verdict) for verdict in sorted(verdicts, key=lambda each: each.holds))
        return Reasons(
            holds,
            {name: seqs for name, seqs in binding.items() if seqs},
            conditions,
            None if decided is None else self._judged(decided),
            confidence,
            note,
        )

    def _judged(self, verdict: Verdict) -> JudgedCondition:
        values = verdict.values
        if verdict.absence is not None and verdict.absence.happens:
            values = (f"it happens, with {_numbers([self._seq(row) for row in verdict.absence.happens])}",)
        return JudgedCondition(
            verdict.said, verdict.holds, values, None if verdict.decided < 0 else self._seq(verdict.decided)
        )

    def _seq(self, row: int) -> int:
        return int(self._events["seq"][row].as_py())


def runs_from(query: Query, by_seq: BySeq, listed: pa.Table, row: int) -> list[Path]:
    """The listed matches whose first event is the log's row `row`."""
    paths = [path_of(query, by_seq, match) for match in listed.to_pylist()]
    return [path for path in paths if path and path[0][0] == row]


def _numbers(seqs: Sequence[int]) -> str:
    return ", ".join(str(seq) for seq in seqs)
