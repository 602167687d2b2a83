"""Checks expectations.yaml against the declared sources and events: row rules, gate queries, gate arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sqlglot import exp

from jobs.analysis.changing import changing_mistakes
from jobs.analysis.columns import Columns, columns_of
from jobs.analysis.events_sql import tables_of
from jobs.analysis.resolution import Resolver
from jobs.analysis.statement import Mistake, offset_in_condition, parse_predicate, parse_select
from jobs.quality.rule_arguments import wrong_arguments
from jobs.workload.declaration import TAKEN, Workload
from jobs.workload.files.problems import Problems, brief, nearest
from jobs.workload.files.yaml_file import mark_inside
from jobs.workload.sections.expectations import GateRule

FILE = "expectations.yaml"
REFUSALS = ("source", "rule", "refused", "read", "share")
RAW = ("_raw", "_file", "_rule", "_reason")
"""Columns that a row rule may read in addition to its source's."""
COLUMNS = ("column", "column_A", "column_B")
COLUMN_LISTS = ("column_list", "column_set")
"""Arguments of expectations that name columns."""
_SPOKEN = frozenset({"index", "True", "False", "None"})


def find_rule_problems(problems: Problems, workload: Workload) -> None:
    """Add every mistake of the rules' SQL and arguments."""
    for number, rule in enumerate(workload.expectations.rows):
        source = workload.sources.get(rule.source)
        if source is None or not rule.holds:
            continue
        table = {**tables_of(workload)[rule.source], **columns_of(dict.fromkeys(RAW, ""))}
        where = f"{FILE}: rows[{number}].holds"
        for mistake in (*_predicate_mistakes(rule.holds, rule.source, table), *changing_mistakes(rule.holds, table)):
            _point(problems, where, rule.holds, mistake)
    for number, gate in enumerate(workload.expectations.gate):
        where = f"{FILE}: gate[{number}]"
        columns = _columns_judged(problems, workload, gate, f"{where}.over")
        for path, message in wrong_arguments(gate):
            problems.add(f"{where}.arguments{path}", message)
        if columns is not None:
            for path, column in _columns_named(gate):
                if column not in columns:
                    problems.add(
                        f"{where}.arguments{path}", f"unknown column {brief(column)}; {nearest(column, columns)}"
                    )


def _predicate_mistakes(text: str, source: str, table: Columns) -> list[Mistake]:
    statement = parse_predicate(text)
    query = statement.query
    if not isinstance(query, exp.Select) or any(inner is not query for inner in query.find_all(exp.Query)):
        return list(statement.mistakes)
    mistakes = Resolver({source: table}).resolve(query.from_(exp.to_table(source), copy=False))
    return [
        Mistake(offset_in_condition(mistake.start), mistake.length, mistake.message, mistake.hint)
        for mistake in mistakes
    ]


def _columns_judged(problems: Problems, workload: Workload, rule: GateRule, where: str) -> set[str] | None:
    """The columns of the rows that a gate rule judges; None: not known, for example without a workload.yaml."""
    declared = bool(workload.schema.types and workload.sources)
    events = {"event_type": "STRING", "ts": "BIGINT", "run_id": "STRING", "seq": "BIGINT"}
    if rule.over == "events":
        return {*events, *workload.attributes} if declared else None
    if rule.over == "refusals":
        return {*REFUSALS}
    statement = parse_select(rule.over)
    for mistake in statement.mistakes:
        _point(problems, where, rule.over, mistake)
    if statement.query is None or not declared:
        return None
    tables: dict[str, Columns | None] = {
        **dict.fromkeys(TAKEN),
        **tables_of(workload),
        "events": columns_of({"day": "DATE", **events, **dict.fromkeys(workload.attributes, "")}),
        "refusals": columns_of({"day": "DATE", **dict.fromkeys(REFUSALS, "")}),
        "days": columns_of({"day": "DATE"}),
    }
    resolver = Resolver(tables)
    for mistake in resolver.resolve(statement.query):
        _point(problems, where, rule.over, mistake)
    columns = resolver.given(resolver.scopes[-1]) if resolver.scopes else None
    if columns is None:
        return None
    names = {column.name for column in columns if column.name}
    if "day" not in {name.lower() for name in names}:
        _point(problems, where, rule.over, Mistake(0, 1, "gives no column 'day', by which days are judged"))
    return names if all(column.name for column in columns) else None


def _columns_named(rule: GateRule) -> Iterator[tuple[str, str]]:
    """The columns that a rule's arguments name, each with the path of the argument."""
    for key in COLUMNS:
        if isinstance(column := rule.arguments.get(key), str):
            yield f".{key}", column
    for key in COLUMN_LISTS:
        listed = rule.arguments.get(key)
        if isinstance(listed, list) and key == "column_list" and not rule.type.startswith("expect_table_columns"):
            yield from ((f".{key}[{n}]", name) for n, name in enumerate(listed) if isinstance(name, str))
    condition = rule.arguments.get("row_condition")
    if isinstance(condition, str) and rule.arguments.get("condition_parser") == "pandas":
        yield from ((".row_condition", name) for name in _names_in(condition))


def _names_in(condition: str) -> list[str]:
    """The columns that a condition for pandas reads; none if it is not plain Python.

    >>> _names_in('event_type == "Departure" and abs(delay) > 3'), _names_in("`a b` > 1")
    (['delay', 'event_type'], [])
    """
    try:
        tree = ast.parse(condition.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}
    return sorted(names - _SPOKEN)


def _point(problems: Problems, where: str, text: str, mistake: Mistake) -> None:
    mark = mark_inside(problems, where, text, mistake.start, mistake.length)
    problems.point(FILE, mark, f"{where.partition(': ')[2]}: {mistake.message}", mistake.hint)
