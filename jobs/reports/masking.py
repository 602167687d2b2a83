"""Columns that reports never show: the attributes of the section `mask` of workload.yaml, and what is made of them.

A reader of the lake's tables covers them, so no page, figure, CSV file or sentence can tell them. Values that name
groups, or those who violate, become `masked 1`, `masked 2`, ...: numbered by their order among those read together, so
counts stay right. All other covered values are read as absent. What the gate observed is covered unless its rule looks
at other attributes only; so are messages that may repeat it, those of failures, and a plan's reasons, which named heavy
values in earlier versions. The lake's tables keep all of them: who may read those is a matter of the files' rights.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.compile import EVENTS_OF_MATCHES, tables_beside
from cep_core.language.bound_query import POLICY
from jobs.reports.answers.attributes import attributes_of_returns
from jobs.reports.questions import Question
from jobs.workload.declaration import Workload
from jobs.workload.sections.expectations import REFUSALS, GateRule

COVERED = "(masked)"
"""In place of a text that holds values beside others."""

_WHY = "_why"
_COUNTED = re.compile(r"\w+ \([0-9,]+ of [0-9,]+\): ")


@dataclass(frozen=True)
class Masks:
    """What is covered. `absent`, `numbered`: table -> columns; `unread`: tables of which no row is read; `attributes`:
    the masked ones."""

    attributes: frozenset[str] = frozenset()
    absent: Mapping[str, frozenset[str]] = field(default_factory=dict)
    numbered: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    observed: frozenset[str] = frozenset()
    """The gate rules of which reports may tell what they observed."""

    def cover(self, name: str, rows: pa.Table) -> pa.Table:
        """The rows of a table as reports may see them."""
        if not self.attributes:
            return rows
        if name in self.unread:
            return rows.slice(0, 0)
        for column in self.absent.get(name, frozenset()) & set(rows.column_names):
            kind = rows.schema.field(column).type
            rows = _with(rows, column, pa.chunked_array([pa.nulls(rows.num_rows, kind)]))
        for column in self.numbered.get(name, frozenset()) & set(rows.column_names):
            rows = _with(rows, column, _numbered(rows[column]))
        if name == "quarantine" and "raw" in rows.column_names:
            rows = _with(rows, "raw", pa.chunked_array([pa.repeat(COVERED, rows.num_rows)]))
        for column, covered in self._texts(name).items():
            if column in rows.column_names:
                rows = _with(
                    rows, column, pa.chunked_array([pa.array(map(covered, rows[column].to_pylist()), pa.string())])
                )
        if name == "runs" and "message" in rows.column_names:
            judged = pc.or_(pc.equal(rows["stage"], "validate"), pc.not_equal(rows["status"], "done"))
            rows = _with(rows, "message", pc.if_else(judged, COVERED, rows["message"]))
        if name == "heavy_hitters":
            shown = pc.invert(pc.is_in(rows["attribute"], pa.array(sorted(self.attributes))))
            rows = _with(rows, "value", pc.if_else(shown, rows["value"], COVERED))
        return rows

    def _texts(self, name: str) -> Mapping[str, Callable[[str], str | None]]:
        """The columns of a table whose texts may hold values beside others, with what is left of them."""
        if name == "slicing_plans":
            return {"plan": _plan}
        return {"checks": self._checks, "reason": self._reason} if name == "_work/loaded_days" else {}

    def _checks(self, checks: str) -> str:
        """The gate's verdicts on a day. What a rule observed that the workload has no more is covered, too."""
        verdicts = json.loads(checks)
        for verdict in verdicts:
            if verdict["observed"] and verdict["rule"] not in self.observed:
                verdict["observed"] = COVERED
        return json.dumps(verdicts)

    def _reason(self, reason: str | None) -> str | None:
        """Why the gate refused a day: rule, what it observed or how many values were unexpected, the rule's reason."""
        rule = re.match(r"\w+", reason or "")
        if reason is None or rule is None or rule[0] in self.observed or _COUNTED.match(reason):
            return reason
        return f"{rule[0]} {COVERED}"


def masks_of(workload: Workload, questions: Iterable[Question]) -> Masks:
    """What a workload's section `mask` covers in its tables."""
    masked = workload.schema.masked
    if not masked:
        return Masks()
    absent: dict[str, frozenset[str]] = {"events": masked}
    numbered: dict[str, frozenset[str]] = {}
    observed = frozenset(rule.name for rule in workload.expectations.gate if _shows_values(rule, masked))
    unread: set[str] = set()
    for question in questions:
        tables = [question.name, *(question.name + suffix for suffix in tables_beside())]
        if question.kind == POLICY:
            numbered |= dict.fromkeys(tables, _values_of(question, masked))
            if _reads(question, masked):
                unread.add(question.name + _WHY)
        else:
            groups, values = attributes_of_returns(question.query, masked)
            numbered |= dict.fromkeys(tables, groups)
            absent |= dict.fromkeys(tables, values)
            absent[question.name + EVENTS_OF_MATCHES] = masked
    return Masks(masked, absent, numbered, frozenset(unread), observed)


def _shows_values(rule: GateRule, masked: frozenset[str]) -> bool:
    """Whether reports may tell what a gate rule observed. What the columns of a SELECT are made of is not known."""
    if rule.is_query:
        return not any(name.startswith("column") for name in rule.arguments)
    named = {word for argument in rule.arguments.values() for word in re.findall(r"\w+", str(argument))}
    return rule.over == REFUSALS or named.isdisjoint(masked)


def _plan(plan: str) -> str:
    """A slicing plan without its reasons."""
    return json.dumps({**json.loads(plan), "decisions": []})


def _reads(question: Question, masked: frozenset[str]) -> bool:
    """Whether evaluation looks at a masked attribute."""
    return any(not masked.isdisjoint(names) for names in question.bound.evaluator().reads.values())


def _values_of(question: Question, masked: frozenset[str]) -> frozenset[str]:
    """The columns of a policy that hold values of masked attributes: variables that these bind, attributes of `for
    each`; and, where the policy looks at one, every variable that no attribute binds, since it may be made of them."""
    bound = [pair for atom in question.bound.evaluator().atoms for pair in atom.variables]
    covered = {variable for attribute, variable in bound if attribute in masked} | masked
    if _reads(question, masked):
        free = set(getattr(question.query, "variables", ()))
        covered |= free - {variable for _, variable in bound}
    return frozenset(covered)


def _numbered(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Each value as `masked N`, N its place in their order; null stays null.

    >>> _numbered(pa.chunked_array([["b", "a", None, "b"]])).to_pylist()
    ['masked 2', 'masked 1', None, 'masked 2']
    """
    values = column.drop_null().unique().sort()
    names = pa.array([f"masked {number + 1}" for number in range(len(values))], pa.string())
    return pa.chunked_array([names.take(chunk) for chunk in pc.index_in(column, values).chunks], pa.string())


def _with(rows: pa.Table, name: str, column: pa.ChunkedArray) -> pa.Table:
    return rows.set_column(rows.column_names.index(name), name, column)
