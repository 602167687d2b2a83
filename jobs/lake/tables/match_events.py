"""The events of matches: `<query>_events` beside each listing, a row for each event that a match binds.

A listing names events by `seq`. This table has their columns, so that a question about matches needs no join, in
whatever program it is asked: which aircraft were in them, or how long they took. Runs write it
(`jobs/stages/evaluating/match_events.py`). In a lake that no run of this version has seen, `trendmill sql` has a view
in its place. A property of the listing's table names the columns that hold events, so the lake alone is enough. Cost
of making a view: two Delta logs are read; of asking it: a join by `seq`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cep_core.compile import EVENTS_OF_MATCHES
from jobs import places
from jobs.lake.definition import DAY, RUN, Column, Table, attribute_columns, identifier, quoted
from jobs.lake.moments.columns import FILLED, moment_columns
from jobs.lake.register import table_folders
from jobs.lake.tables.result_tables import RESULT_COMMENTS, VARIABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cep_core.events.schema import LogSchema

ARRAY = "array"

LISTING = "trendmill.listing"
"""Table property: the listing whose events the table holds."""

WINDOW = "window_start"

OWN = ("match_id", WINDOW, "variable", "position")
"""Columns that say of an event where a match binds it. An attribute of such a name is left out."""


def match_events_table(listing: str, log: LogSchema, *, windowed: bool) -> Table:
    """`<query>_events`. `windowed`: whether the listing has windows, in each of which a match has its events."""
    window = (Column(WINDOW, "BIGINT", RESULT_COMMENTS[WINDOW], nullable=False),) if windowed else ()
    columns = (
        DAY,
        RUN,
        Column("match_id", "STRING", RESULT_COMMENTS["match_id"], nullable=False),
        *window,
        Column("variable", "STRING", "The variable of the pattern that binds the event", nullable=False),
        Column("position", "INT", "The event's place in its variable, from 1", nullable=False),
        Column("event_type", "STRING", "What happened", nullable=False),
        Column("ts", "BIGINT", f"When, in {log.unit} since 1970-01-01T00:00Z", nullable=False),
        Column("seq", "BIGINT", "Names the event, as in events", nullable=False),
        *(column for column in attribute_columns(log) if not taken([column.name])),
    )
    times = moment_columns(["ts", *(of.name for of in window)], (column.name for column in columns), log.unit)
    return Table(
        listing + EVENTS_OF_MATCHES,
        _comment(listing),
        (*columns, *times),
        properties={FILLED: "all", LISTING: listing},
        widens=True,
    )


def taken(names: Iterable[str]) -> list[str]:
    """Those of an event's columns whose names the places of events take.

    >>> taken(["tailnum", "Position"])
    ['Position']
    """
    return [name for name in names if name.lower() in OWN]


def register_match_events(
    spark: SparkSession, workload: str, lake: Path | str | None = None, only: str | None = None
) -> list[str]:
    """Make the views of a workload whose tables are registered, for listings without such a table, or the only one that
    is asked for, in small letters. Returns their names.
    """
    views, home = [], places.at(lake)
    present = table_folders(workload, home)
    for listing, variables in listings(workload, home).items():
        view = listing + EVENTS_OF_MATCHES
        if view in present or only not in (None, view.lower()):
            continue
        columns = {field.name: field.dataType.typeName() for field in spark.table(identifier(workload, listing)).schema}
        many = {name: columns[name] == ARRAY for name in variables}
        left_out = taken(spark.table(identifier(workload, "events")).columns)
        spark.sql(view_statement(workload, listing, many, columns, left_out))
        views.append(view)
    return views


def tables_of_match_events(workload: str, lake: Path) -> list[str]:
    """The tables of events of matches that a lake has, as their own logs say; also those of queries that left."""
    from deltalake import DeltaTable

    named = {name: of for name, of in table_folders(workload, lake).items() if name.endswith(EVENTS_OF_MATCHES)}
    return [name for name, folder in named.items() if LISTING in DeltaTable(folder).metadata().configuration]


def listings(workload: str, lake: Path) -> dict[str, list[str]]:
    """The tables that list matches, with the columns that hold events, as the tables' own logs say."""
    from deltalake import DeltaTable

    folders = table_folders(workload, lake)
    if "events" not in folders:
        return {}
    properties = {name: DeltaTable(folder).metadata().configuration.get(VARIABLES) for name, folder in folders.items()}
    return {name: variables.split(",") for name, variables in properties.items() if variables}


def view_statement(
    workload: str, listing: str, variables: dict[str, bool], columns: Collection[str], left_out: Iterable[str] = ()
) -> str:
    """The CREATE VIEW statement; `variables`: whether each holds a list; `columns` of the listing; `left_out`: columns
    of events whose names are taken.

    >>> print(view_statement("w", "late", {"a": False, "b": True}, ["match_id", "a", "b"]))
    CREATE OR REPLACE VIEW `w`.`late_events` COMMENT 'One row is an event that a match of late binds' AS
    SELECT m.* EXCEPT (seq), e.* EXCEPT (`day`, `run_id`)
    FROM (
      SELECT day, match_id, bound.variable, place + 1 AS position, seq
      FROM (
        SELECT day, match_id, explode(array(
          named_struct('variable', 'a', 'events', array(`a`)),
          named_struct('variable', 'b', 'events', `b`)
        )) AS bound FROM `w`.`late`
      ) LATERAL VIEW posexplode(bound.events) p AS place, seq
    ) AS m JOIN `w`.`events` AS e ON e.seq = m.seq
    >>> view_statement("w", "late", {"a": False}, ["match_id", "a"], ["Position"]).splitlines()[1]
    'SELECT m.* EXCEPT (seq), e.* EXCEPT (`day`, `run_id`, `Position`)'
    """
    window = f"{WINDOW}, " if WINDOW in columns else ""
    bound = ",\n      ".join(
        f"named_struct('variable', {quoted(name)}, 'events', {f'`{name}`' if many else f'array(`{name}`)'})"
        for name, many in variables.items()
    )
    view = identifier(workload, listing + EVENTS_OF_MATCHES)
    without = ", ".join(f"`{name}`" for name in ("day", "run_id", *left_out))
    return (
        f"CREATE OR REPLACE VIEW {view} COMMENT {quoted(_comment(listing))} AS\n"
        f"SELECT m.* EXCEPT (seq), e.* EXCEPT ({without})\n"
        "FROM (\n"
        f"  SELECT day, match_id, {window}bound.variable, place + 1 AS position, seq\n"
        "  FROM (\n"
        f"    SELECT day, match_id, {window}explode(array(\n      {bound}\n"
        f"    )) AS bound FROM {identifier(workload, listing)}\n"
        "  ) LATERAL VIEW posexplode(bound.events) p AS place, seq\n"
        f") AS m JOIN {identifier(workload, 'events')} AS e ON e.seq = m.seq"
    )


def _comment(listing: str) -> str:
    return f"One row is an event that a match of {listing} binds"
