"""Views of the episodes of policies over days: `<policy>_episodes_over_days` beside each table of episodes.

Operating days cut episodes. The view joins those of the same values on consecutive days, if one touches the end of its
day and the next one the beginning of its own. So a whole operating day without a violation of the values ends an
episode. A property of the table names the columns of the values, so the lake alone is enough. Cost of asking: a sort of
the listed episodes by their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jobs import places
from jobs.lake.definition import identifier, quoted
from jobs.lake.register import table_folders
from jobs.lake.tables.result_tables import VALUES
from jobs.workload.sections.query_settings import OVER_DAYS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EPISODES = "_episodes"


def register_episodes_over_days(spark: SparkSession, workload: str, lake: Path | str | None = None) -> list[str]:
    """Make the views of a workload whose tables are registered. Returns their names."""
    from deltalake import DeltaTable

    views = []
    for name, folder in table_folders(workload, Path(lake) if lake else places.lake()).items():
        values = DeltaTable(folder).metadata().configuration.get(VALUES)
        if values is not None:
            policy = name.removesuffix(EPISODES)
            comment = quoted(f"One row is a run of time-points, over any number of days, at which {policy} is violated")
            view = identifier(workload, policy + OVER_DAYS)
            asked = episodes_over_days(identifier(workload, name), [value for value in values.split(",") if value])
            spark.sql(f"CREATE OR REPLACE VIEW {view} COMMENT {comment} AS\n{asked}")
            views.append(policy + OVER_DAYS)
    return views


def episodes_over_days(table: str, values: Sequence[str]) -> str:
    """The query of the view. `values`: the columns that tell whose an episode is.

    >>> print(episodes_over_days("p_episodes", ["x"]))
    SELECT min(day) AS first_day, max(day) AS last_day, min(first_ts) AS first_ts,
      min_by(first_offset, first_ts) AS first_offset, max(last_ts) AS last_ts,
      max_by(last_offset, last_ts) AS last_offset, sum(points) AS points,
      min_by(touches_begin, first_ts) AS touches_begin, max_by(touches_end, last_ts) AS touches_end, `x`
    FROM (
      SELECT *, sum(begins) OVER (PARTITION BY `x` ORDER BY day, first_ts, first_offset) AS episode
      FROM (
        SELECT *, CASE WHEN touches_begin
          AND lag(touches_end) OVER (PARTITION BY `x` ORDER BY day, first_ts, first_offset)
          AND lag(day) OVER (PARTITION BY `x` ORDER BY day, first_ts, first_offset) = day - INTERVAL '1' DAY
          THEN 0 ELSE 1 END AS begins
        FROM p_episodes
      )
    )
    GROUP BY episode, `x`
    """
    own = [f"`{name}`" for name in values]
    parts = f"PARTITION BY {', '.join(own)} " if own else ""
    over = f"({parts}ORDER BY day, first_ts, first_offset)"
    columns = "".join(f", {name}" for name in own)
    return (
        "SELECT min(day) AS first_day, max(day) AS last_day, min(first_ts) AS first_ts,\n"
        "  min_by(first_offset, first_ts) AS first_offset, max(last_ts) AS last_ts,\n"
        "  max_by(last_offset, last_ts) AS last_offset, sum(points) AS points,\n"
        f"  min_by(touches_begin, first_ts) AS touches_begin, max_by(touches_end, last_ts) AS touches_end{columns}\n"
        "FROM (\n"
        f"  SELECT *, sum(begins) OVER {over} AS episode\n"
        "  FROM (\n"
        "    SELECT *, CASE WHEN touches_begin\n"
        f"      AND lag(touches_end) OVER {over}\n"
        f"      AND lag(day) OVER {over} = day - INTERVAL '1' DAY\n"
        "      THEN 0 ELSE 1 END AS begins\n"
        f"    FROM {table}\n"
        "  )\n"
        ")\n"
        f"GROUP BY episode{columns}"
    )
