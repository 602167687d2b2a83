"""A workload's questions, compiled: each file becomes an evaluator, with the question it answers and a definition hash.

All errors of all files are reported at once, together with queries that look back further than `limits.max_reach`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from cep_core.compile import BoundText, bind_text, known_suffixes, language_of, parse_text
from cep_core.events.schema import NamedCondition
from cep_core.language.budget import Budget
from cep_core.language.errors import NotSupportedYet, QueryError, QueryErrors
from cep_core.language.evaluator import Evaluator, ResultTable
from cep_core.language.settings import Settings
from jobs.workload.declaration import Workload
from jobs.workload.files.problems import Mark, Problems, WorkloadError
from jobs.workload.files.text_file import read_text
from jobs.workload.sections.event_types import ONE_OF_THE_VALUES
from jobs.workload.sections.query_settings import shown_as


@dataclass(frozen=True)
class WorkloadQuery:
    """One question of a workload. `definition` changes with everything that the result depends on, except events."""

    name: str
    question: str
    path: Path
    bound: BoundText
    settings: Settings
    evaluator: Evaluator
    definition: str

    @property
    def query(self) -> Any:
        """The bound query, for code about queries of its language only."""
        return self.bound.query

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        """The result's table and the further tables."""
        return self.evaluator.tables

    @property
    def variables(self) -> tuple[str, ...]:
        """The columns of the result that hold events by `seq`. Only results that list matches have such columns."""
        return self.tables[0].variables


def compile_workload(workload: Workload) -> dict[str, WorkloadQuery]:
    """Every question of the workload by name. Raises WorkloadError with all problems of all files."""
    compiled, problems = compile_questions(workload)
    if problems:
        raise WorkloadError(workload.name, problems)
    return compiled


def compile_questions(workload: Workload) -> tuple[dict[str, WorkloadQuery], list[str]]:
    """The questions that compile, by name, and every problem of the others."""
    compiled: dict[str, WorkloadQuery] = {}
    problems = Problems()
    for path in workload.question_files():
        shown = shown_as(path)
        if path.suffix not in known_suffixes():
            problems.add(shown, f"no language of this suffix can be evaluated yet, only {', '.join(known_suffixes())}")
            continue
        text = read_text(problems, path, shown)
        if text is None:
            continue
        try:
            if not workload.schema.types:  # a problem of workload.yaml, not of a query
                parse_text(text, shown)
                continue
            compiled[path.stem] = query = _compile(workload, path, text, shown)
        except QueryError as error:
            problems.noted += [
                str(problem) for problem in (error.errors if isinstance(error, QueryErrors) else (error,))
            ]
            continue
        if not query.question:
            problems.point(
                shown, Mark(1, 1), "begins with no comment", "write there what the query asks; its report shows it"
            )
        for column, spelling in _alike(query):
            place = re.search(rf"\b{re.escape(column)}\b", text)
            before = text[: place.start()] if place else ""
            mark = Mark(before.count("\n") + 1, len(before) - before.rfind("\n"), len(column))
            problems.point(
                shown, mark, f"the column '{column}' is '{spelling}' in another case; tables do not tell them apart"
            )
        if unbounded := _unbounded(workload, query):
            problems.point(shown, Mark(1, 1), unbounded)
        if (returned := _covered(workload, query)) is not None:
            problems.point(
                shown,
                returned,
                "every number that it returns is a value of a masked attribute, so reports have none to show",
                "add COUNT(*) to RETURN",
            )
        problems.noted += _unsheddable(workload, query)
    return compiled, problems.noted


def _covered(workload: Workload, query: WorkloadQuery) -> Mark | None:
    """The place of RETURN's first aggregate if all of them are values of masked attributes; else None."""
    returned = [item for item in getattr(query.query, "returns", ()) if item.aggregate is not None]
    masked = workload.schema.masked
    if not returned or not all(
        item.argument in masked and item.aggregate.name in ONE_OF_THE_VALUES for item in returned
    ):
        return None
    at = returned[0].at
    return Mark(at.line, at.column, at.length)


def question_of(text: str) -> str:
    """The question that a file answers: its leading comment, without headers such as `-- for each: x`.

    >>> question_of("-- How far does an aircraft\\n-- carry lateness?\\n-- for each: x\\nPATTERN A+ WITHIN 5")
    'How far does an aircraft carry lateness?'
    """
    lines = []
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped.startswith(("--", "//")):
            break
        comment = stripped[2:].strip()
        if not comment.startswith(("for each:", "policy:")):
            lines.append(comment)
    return " ".join(lines).strip()


def _compile(workload: Workload, path: Path, text: str, shown: str) -> WorkloadQuery:
    bound = bind_text(text, workload.schema, shown, whole_log=False)
    settings = evaluation_settings(workload, path.stem)
    definition = definition_hash(workload, path, text, bound.conditions)
    return WorkloadQuery(
        path.stem, question_of(text), path, bound, settings, bound.evaluator_by_day(settings), definition
    )


def evaluation_settings(workload: Workload, query: str, budget: Budget | None = None) -> Settings:
    """The settings of a query's evaluator, the same each night and in each worker; None: the workload's budget."""
    declared = workload.settings(query)
    most = workload.limits.max_violations if declared.max_violations is None else declared.max_violations
    return Settings(
        declared.max_matches,
        declared.exact_counts,
        budget=budget or Budget(workload.limits.work),
        max_violations=most,
        explained=declared.explained,
    )


def definition_hash(workload: Workload, path: Path, text: str, conditions: Mapping[str, NamedCondition]) -> str:
    """16 hex digits over text, schema, time, events.sql, the query's settings and the engine's version.

    Also over the names of the tables that policies fill: a day without a row in one of them has none since it was
    evaluated with it. `conditions`: the named conditions that the text uses.
    """
    settings = evaluation_settings(workload, path.stem)
    language = language_of(path.name)
    of_policy = "max_violations" in language.settings
    schema = {
        name: {a.name: [a.type.value, a.nullable] for a in attributes.values()}
        for name, attributes in workload.schema.types.items()
    }
    defined = [
        text,
        schema,
        [workload.time.unit, workload.time.ties.value, workload.time.points, workload.schedule],
        workload.events_sql,
        [settings.max_violations, settings.explained, language.beside]
        if of_policy
        else [settings.max_matches, settings.exact],
        metadata.version("trendmill"),
        *([dict(workload.time.imprecise)] if workload.time.imprecise else []),
        *([{name: [of.event_type, of.condition] for name, of in conditions.items()}] if conditions else []),
    ]
    return hashlib.sha256(json.dumps(defined).encode()).hexdigest()[:16]


def _alike(query: WorkloadQuery) -> list[tuple[str, str]]:
    """Columns of the result that differ from an earlier column only in case, each with that column."""
    first: dict[str, str] = {}
    names = query.evaluator.schema.names
    return [(name, first[name.lower()]) for name in names if first.setdefault(name.lower(), name) != name]


def _unbounded(workload: Workload, query: WorkloadQuery) -> str:
    reach, limit = query.evaluator.reach.time, workload.limits.max_reach
    if limit is None or (reach is not None and reach <= limit):
        return ""
    looks = "without bound" if reach is None else f"{reach} {workload.time.unit}"
    sub_logs: tuple[str, ...] = getattr(query.query, "for_each", ())
    is_step = reach is None and sub_logs
    step = "; in logs of their own (`for each`) PREV needs an interval: PREV[0,1h]" if is_step else ""
    return (
        f"looks back {looks}, further than limits.max_reach of workload.yaml "
        f"({limit} {workload.time.unit}); shorten its window or raise the limit{step}"
    )


def _unsheddable(workload: Workload, query: WorkloadQuery) -> list[str]:
    """Why no operator can replay a query that asks for load shedding, or why its costs do not fit."""
    from cep_core.shedding.arrays.offering import machine_of

    shedding = workload.settings(query.name).shedding
    if shedding is None:
        return []
    try:
        steps = machine_of(query.query).steps
    except NotSupportedYet as refusal:
        return [str(refusal)]
    if len(shedding.costs) != steps:
        return [
            f"{shedding.place}: {len(shedding.costs)} costs for {steps} states; give the cost of meeting a partial "
            "match in each state, the initial one first and the final one left out"
        ]
    return []
