"""What is wrong with a statement of `trendmill sql`: Spark's message without its codes and plans, with the nearest name
where one is not known, and the place in the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from jobs.workload.files.problems import nearest

_TABLE = re.compile(r"The table or view `(\w+)`(?:\.`(\w+)`)? cannot be found")
_COLUMN = re.compile(r"parameter with name (`.+?`) cannot be resolved(?:.*?\[(?P<known>.*?)\]\. SQLSTATE)?", re.DOTALL)
_FUNCTION = re.compile(r"Cannot resolve routine (`.+?`) on")
_PLACE = re.compile(r"line (\d+),? pos(?:ition)? (\d+)")
_CODE = re.compile(r"^\[[A-Z][A-Z_.]+\] ")
_REST = re.compile(r"[.;]?\s*(SQLSTATE: \w+.*|== SQL.*)$", re.DOTALL)
"""Where a message ends: codes, places, and Spark's own plan of the statement."""


def sql_problem(
    problem: str, statement: str, tables: Sequence[str], functions: Callable[[], Sequence[str]] = list
) -> str:
    """A problem as a person reads it. `tables`, `functions`: what is known.

    >>> print(sql_problem("[X.Y] It is wrong. SQLSTATE: 42; line 1 pos 7;\\n'Project [x]\\n+- t", "SELECT x", []))
    it is wrong
        SELECT x
               ^
    >>> sql_problem("The table or view `rides`.`climb` cannot be found. Verify", "", ["rides.climbs"])
    "no table 'rides.climb'; did you mean 'rides.climbs'?"
    >>> sql_problem("The table or view `rides`.`climb` cannot be found.", "", [])
    "no table 'rides.climb'; the lake is empty; load days with `trendmill run NAME --from DAY`"
    """
    return "\n".join([_said(problem, tables, functions), *_place(problem, statement)])


def _said(problem: str, tables: Sequence[str], functions: Callable[[], Sequence[str]]) -> str:
    if missing := _TABLE.search(problem):
        name = ".".join(part for part in missing.groups() if part)
        hint = nearest(name, tables) if tables else "the lake is empty; load days with `trendmill run NAME --from DAY`"
        return f"no table '{name}'; {hint}"
    if missing := _COLUMN.search(problem):
        names = [_plain(name) for name in (missing["known"] or "").split(", ") if name]
        return f"no column '{_plain(missing[1])}'; {nearest(_plain(missing[1]).rpartition('.')[2], names)}"
    if missing := _FUNCTION.search(problem):
        hint = nearest(_plain(missing[1]), functions())
        return f"no function '{_plain(missing[1])}'" + (f"; {hint}" if hint.endswith("?") else "")
    said = _REST.sub("", _CODE.sub("", problem.strip()))
    return said[:1].lower() + said[1:] if said[1:2].islower() or said[1:2] == " " else said


def _plain(name: str) -> str:
    """A name without Spark's quotes, of a column without its table.

    >>> _plain("`t`.`day`"), _plain("`a b`")
    ('day', 'a b')
    """
    return name.strip("`").rpartition("`.`")[2]


def _place(problem: str, statement: str) -> list[str]:
    """The line of the statement, and a mark below the place."""
    position = _PLACE.search(problem)
    lines = statement.splitlines()
    if position is None or not 1 <= int(position[1]) <= len(lines):
        return []
    line = lines[int(position[1]) - 1]
    column = int(position[2]) - ("position" in position[0])  # counted from 1 there, from 0 elsewhere
    return [f"    {line}", f"    {' ' * min(column, len(line))}^"]
