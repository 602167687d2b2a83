"""Views of the events of matches: `<query>_events` beside each listing, a row for each event that a match binds.

A listing names events by `seq`; the view joins them, so that a question about matches is plain SQL, such as which
aircraft were in them, or how long they took. A property of the listing's table names the columns that hold events, so
the lake alone is enough. Cost of making a view: two Delta logs are read; of asking: a join by `seq`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jobs import places
from jobs.lake.definition import identifier, quoted
from jobs.lake.register import table_folders
from jobs.lake.tables.result_tables import VARIABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ARRAY = "array"


def register_match_events(spark: SparkSession, workload: str, lake: Path | str | None = None) -> list[str]:
    """Make the views of a workload whose tables are registered. Returns their names."""
    views = []
    for listing, variables in listings(workload, places.at(lake)).items():
        columns = {field.name: field.dataType.typeName() for field in spark.table(identifier(workload, listing)).schema}
        spark.sql(view_statement(workload, listing, {name: columns[name] == ARRAY for name in variables}, columns))
        views.append(f"{listing}_events")
    return views


def listings(workload: str, lake: Path) -> dict[str, list[str]]:
    """The tables that list matches, with the columns that hold events, as the tables' own logs say."""
    from deltalake import DeltaTable

    folders = table_folders(workload, lake)
    if "events" not in folders:
        return {}
    properties = {name: DeltaTable(folder).metadata().configuration.get(VARIABLES) for name, folder in folders.items()}
    return {name: variables.split(",") for name, variables in properties.items() if variables}


def view_statement(workload: str, listing: str, variables: dict[str, bool], columns: dict[str, str]) -> str:
    """The CREATE VIEW statement; `variables`: whether each holds a list; `columns` of the listing.

    >>> print(view_statement("w", "late", {"a": False, "b": True}, {"match_id": "string", "a": "long", "b": "array"}))
    CREATE OR REPLACE VIEW `w`.`late_events` COMMENT 'One row is an event that a match of late binds' AS
    SELECT m.* EXCEPT (seq), e.* EXCEPT (day, run_id)
    FROM (
      SELECT day, match_id, bound.variable, place + 1 AS position, seq
      FROM (
        SELECT day, match_id, explode(array(
          named_struct('variable', 'a', 'events', array(`a`)),
          named_struct('variable', 'b', 'events', `b`)
        )) AS bound FROM `w`.`late`
      ) LATERAL VIEW posexplode(bound.events) p AS place, seq
    ) AS m JOIN `w`.`events` AS e ON e.seq = m.seq
    """
    window = "window_start, " if "window_start" in columns else ""
    bound = ",\n      ".join(
        f"named_struct('variable', {quoted(name)}, 'events', {f'`{name}`' if many else f'array(`{name}`)'})"
        for name, many in variables.items()
    )
    comment = quoted(f"One row is an event that a match of {listing} binds")
    return (
        f"CREATE OR REPLACE VIEW {identifier(workload, f'{listing}_events')} COMMENT {comment} AS\n"
        "SELECT m.* EXCEPT (seq), e.* EXCEPT (day, run_id)\n"
        "FROM (\n"
        f"  SELECT day, match_id, {window}bound.variable, place + 1 AS position, seq\n"
        "  FROM (\n"
        f"    SELECT day, match_id, {window}explode(array(\n      {bound}\n"
        f"    )) AS bound FROM {identifier(workload, listing)}\n"
        "  ) LATERAL VIEW posexplode(bound.events) p AS place, seq\n"
        f") AS m JOIN {identifier(workload, 'events')} AS e ON e.seq = m.seq"
    )
