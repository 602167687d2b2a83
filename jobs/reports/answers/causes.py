"""Why a day's first violations are violations: the events behind them, what was sought in vain, and their proofs.

Read from the table of causes, a row for each claim of a proof, and from the events that it names. Cost: linear in the
claims; events are read for the days in which they lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import pyarrow as pa

from cep_core.events.schema import LogSchema
from jobs.reports.answers.listing import FILED, Heading, Listing
from jobs.reports.answers.variety.unlike import unlike
from jobs.reports.answers.violations import POINT
from jobs.reports.words.clock import Clock
from jobs.reports.words.values import Cell, shown

CLAIM = ("node", "parent", "leaf", "claim", "at_ts", "at_offset", "holds", "seq", "valuation")
"""The columns of a claim beside the violation."""
SHARED = ("same_for", "compared")
"""Columns of propositional policies: of the points of the violation's episode that were compared, how many have this
explanation, and how many were compared."""
EVENT, ABSENCE, UNTOLD = "event", "absence", "untold"
TOO_LARGE = "its proof is too large to be told"
MOST_LINES = 60
"""The most lines of a proof on a page."""
ENDS = 2
"""So many causes of a violation are shown on a page from each end, where there are more."""
_FIXED = ("event_type", "ts", "ts_lo", "ts_hi", "seq", "offset", "day", "run_id", "source")
"""Columns of events that are no attributes."""


@dataclass(frozen=True)
class Cause:
    """An event of a proof; or what was sought at some points, from `first` to `last`, and not found (`event` None)."""

    claim: str
    first: int
    last: int
    points: int = 1
    event: Mapping[str, Any] | None = None

    @property
    def kind(self) -> str:
        """The event type, or the name of the condition."""
        return str(self.event["event_type"]) if self.event is not None else self.claim.partition("(")[0]


@dataclass(frozen=True)
class ExplainedViolation:
    """A violation with the claims of its proof, the top one first. `events`: those that the claims name, by `seq`."""

    ts: int
    values: Mapping[str, Any]
    claims: Sequence[Mapping[str, Any]]
    events: Mapping[int, Mapping[str, Any]]

    @property
    def has_proof(self) -> bool:
        """Whether there is a proof, or a part of it: of one that is too large, maybe only the top claim is kept."""
        return len(self.claims) > 1 or self.claims[0]["leaf"] not in (None, UNTOLD)

    @property
    def untold(self) -> list[str]:
        """The claims whose proofs are too large."""
        return [_said(claim) for claim in self.claims if claim["leaf"] == UNTOLD]

    @cached_property
    def causes(self) -> list[Cause]:
        """The events in order of time, each once; then what was sought in vain, in the order of the proof."""
        seqs = dict.fromkeys(claim["seq"] for claim in self.claims if claim["seq"] in self.events)
        rows = [self.events[seq] for seq in seqs]
        claimed = {claim["seq"]: claim["claim"] for claim in self.claims}
        events = [Cause(claimed[event["seq"]], event["ts"], event["ts"], 1, event) for event in rows]
        sought: dict[str, set[tuple[int, int]]] = {}
        for claim in self.claims:
            if claim["leaf"] == ABSENCE:
                sought.setdefault(claim["claim"], set()).add((claim["at_ts"], claim["at_offset"]))
        absences = [Cause(text, min(at)[0], max(at)[0], len(at)) for text, at in sought.items()]
        return [*sorted(events, key=lambda cause: (cause.first, cause.event["seq"] if cause.event else 0)), *absences]

    @property
    def same_for(self) -> str:
        """For how many further points of the episode the explanation is the same; empty if for none, or not known."""
        alike, compared = (self.claims[0].get(name) or 0 for name in SHARED)
        return f"the same for {alike} points of the first {compared}" if alike > 1 else ""

    @property
    def heading_values(self) -> list[Any]:
        """Its values for a heading: names first, then numbers, which are counts where a policy counts."""
        return sorted(self.values.values(), key=lambda value: not isinstance(value, str))

    def title(self, clock: Clock) -> str:
        """The violation in a heading: its values, and its moment."""
        values = " ".join(shown(value, 16) for value in self.heading_values)
        return f"{values}, {clock.time(self.ts)}" if values else clock.time(self.ts)

    def proof(self, clock: Clock) -> str:
        """The proof as indented lines; claims that differ in their points only share a line."""
        children: dict[int | None, list[Mapping[str, Any]]] = {}
        for claim in self.claims:
            children.setdefault(claim["parent"], []).append(claim)
        shapes: dict[int, int] = {}
        known: dict[object, int] = {}
        for claim in children[None]:
            _note_shapes(children, claim, shapes, known)
        lines = []
        for number, line in enumerate(_lines(children, shapes, children[None], 0, clock)):
            if number == MOST_LINES:
                lines.append("...")
                break
            lines.append(line)
        return "\n".join(lines)


def explained(claims: pa.Table, events: Sequence[Mapping[str, Any]]) -> list[ExplainedViolation]:
    """The explained violations of a day, in order. `claims`: the rows of its table; `events`: those that they name."""
    names = [name for name in claims.column_names if name not in (*POINT, *CLAIM, *SHARED, "day", "run_id")]
    order = [(name, "ascending") for name in (*POINT, *names, "node")]
    by_seq = {event["seq"]: event for event in events}
    rows = groupby(claims.sort_by(order).to_pylist(), lambda row: tuple(row[name] for name in (*POINT, *names)))
    return [ExplainedViolation(key[0], dict(zip(names, key[2:], strict=True)), list(own), by_seq) for key, own in rows]


def listing(violations: Sequence[ExplainedViolation], clock: Clock, schema: LogSchema) -> Listing:
    """The causes of each violation, one a row: on the page the first and the last ones, of violations that differ; in
    the file all.

    On the page attributes have their titles, and those come first that the workload says are `shown`.
    """
    headings = [Heading("violation"), Heading("cause"), Heading("when"), Heading("attributes", prose=True)]
    header = ["violation_ts", *violations[0].values, "cause", "first_ts", "last_ts", "points", "seq", "claim"]
    cells = [row for violation in that_differ(violations) for row in _page_rows(violation, clock, schema)]
    filed = [row for violation in violations for row in _file_rows(violation)]
    return Listing(headings, cells, [*header, "attributes"], filed[:FILED], len(filed), "violation by violation")


def that_differ(violations: Sequence[ExplainedViolation]) -> list[ExplainedViolation]:
    """Those that share at most half of their events with others above them: of violations within minutes, the causes
    are the same but for one or two."""
    seqs = [{cause.event["seq"] for cause in violation.causes if cause.event} for violation in violations]
    return [violations[number] for number in unlike(seqs)]


def _page_rows(violation: ExplainedViolation, clock: Clock, schema: LogSchema) -> list[list[str]]:
    rows = [_cells(cause, clock, schema) for cause in violation.causes]
    if not rows:
        rows = [["nothing of the log" if violation.has_proof else TOO_LARGE, "", ""]]
    elif violation.untold:
        rows += [[f"{shown(claim, 60)}: {TOO_LARGE}", "", ""] for claim in violation.untold]
    left_out = len(rows) - 2 * ENDS
    if left_out > 1:
        rows[ENDS:-ENDS] = [[f"{left_out} more, in the CSV", "", ""]]
    titles = [_with_sharing(violation, clock), *[""] * (len(rows) - 1)]
    return [[title, *row] for title, row in zip(titles, rows, strict=True)]


def _file_rows(violation: ExplainedViolation) -> list[list[Cell]]:
    violated: list[Cell] = [violation.ts, *violation.values.values()]
    if not violation.has_proof:
        return [[*violated, "not told", None, None, None, None, violation.claims[0]["claim"], ""]]
    return [
        [
            *violated,
            "event" if cause.event else "absence",
            cause.first,
            cause.last,
            cause.points,
            cause.event["seq"] if cause.event else None,
            cause.claim,
            attributes(cause.event) if cause.event else "",
        ]
        for cause in violation.causes
    ] + [[*violated, "not told", None, None, None, None, claim, ""] for claim in violation.untold]


def longest_first(
    violations: Sequence[ExplainedViolation], episodes: Sequence[Mapping[str, Any]]
) -> list[ExplainedViolation]:
    """The first violations of episodes in the order of these; those of episodes that are not listed come last."""
    names = list(violations[0].values) if violations else []
    order = {(row["first_ts"], *(row[name] for name in names)): place for place, row in enumerate(episodes)}
    return sorted(violations, key=lambda v: order.get((v.ts, *v.values.values()), len(order)))


def _with_sharing(violation: ExplainedViolation, clock: Clock) -> str:
    title = violation.title(clock)
    return f"{title} ({violation.same_for})" if violation.same_for else title


def attributes(event: Mapping[str, Any]) -> str:
    """An event's attributes that have a value.

    >>> attributes({"event_type": "Departure", "ts": 5, "seq": 1, "flight": "DL1", "delay_min": 3, "gate": None})
    'flight DL1, delay_min 3'
    """
    own = [(name, value) for name, value in event.items() if name not in _FIXED and value is not None]
    return ", ".join(f"{name} {shown(value)}" for name, value in own)


def _titled(event: Mapping[str, Any], schema: LogSchema) -> str:
    """The same for a reader of the page: with titles, what identifies the event first."""
    carried = schema.attributes_of(event["event_type"])
    own = [name for name, value in event.items() if name not in _FIXED and value is not None]
    own.sort(key=lambda name: not (name in carried and carried[name].shown))
    return ", ".join(f"{schema.title_of(name)} {shown(event[name])}" for name in own)


def _cells(cause: Cause, clock: Clock, schema: LogSchema) -> list[str]:
    if cause.event is not None:
        return [cause.kind, clock.time(cause.first), _titled(cause.event, schema)]
    when = clock.time(cause.first)
    if cause.points > 1:
        when = f"{cause.points:,} points, {when} to {clock.time(cause.last)}"
    return [f"no {cause.claim}", when, ""]


def _lines(
    children: Mapping[int | None, Sequence[Mapping[str, Any]]],
    shapes: Mapping[int, int],
    claims: Sequence[Mapping[str, Any]],
    depth: int,
    clock: Clock,
) -> Iterator[str]:
    """Lines of claims and, below each, of those from which it follows."""
    groups: dict[int, list[Mapping[str, Any]]] = {}
    for claim in claims:
        groups.setdefault(shapes[claim["node"]], []).append(claim)
    for group in groups.values():
        first = group[0]
        untold = f": {TOO_LARGE}" if first["leaf"] == UNTOLD else ""
        yield f"{'  ' * depth}{_said(first)} {_at(group, clock)}{untold}"
        yield from _lines(children, shapes, children.get(first["node"], ()), depth + 1, clock)


def _note_shapes(
    children: Mapping[int | None, Sequence[Mapping[str, Any]]],
    claim: Mapping[str, Any],
    shapes: dict[int, int],
    known: dict[object, int],
) -> int:
    """Gives a claim, and all below it, the number of its shape, by its node; returns its own.

    Two claims that differ in their points only have the same shape; an event is like no other. `known`: the numbers of
    the shapes so far. Each claim is looked at once.
    """
    below = tuple(_note_shapes(children, child, shapes, known) for child in children.get(claim["node"], ()))
    shape = (claim["claim"], claim["holds"], claim["seq"], below)
    shapes[claim["node"]] = known.setdefault(shape, len(known))
    return shapes[claim["node"]]


def _said(claim: Mapping[str, Any]) -> str:
    if claim["leaf"] == EVENT:
        return str(claim["claim"])
    if claim["leaf"] == ABSENCE:
        return f"no {claim['claim']}"
    return f"{claim['claim']} {'holds' if claim['holds'] else 'does not hold'}"


def _at(claims: Sequence[Mapping[str, Any]], clock: Clock) -> str:
    first, last = claims[0]["at_ts"], claims[-1]["at_ts"]
    if len(claims) == 1:
        return f"at {clock.time(first)}"
    return f"at {len(claims):,} points, first {clock.time(min(first, last))}, last {clock.time(max(first, last))}"
