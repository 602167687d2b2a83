"""Views of the episodes of policies over days: `<policy>_episodes_over_days` beside each table of episodes.

Operating days cut episodes. The view joins those of the same values, if one touches the end of its day, the next one
the beginning of its own, and no point between them judges the values. That is so on consecutive days. Over other days
`<policy>_judged` tells: it lists which values are judged on a day; where every point of the log judges, on which days
there is a point. A day between must be known: its result complete, and its list of judged values not cut. Properties of
the tables name the columns of the values, so the lake alone is enough. Cost of asking: a sort of the listed episodes
and judged values by their values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jobs import places
from jobs.lake.definition import identifier, quoted
from jobs.lake.register import table_folders
from jobs.lake.tables.result_tables import KEYS, VALUES
from jobs.workload.sections.query_settings import OVER_DAYS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EPISODES, JUDGED = "_episodes", "_judged"


def register_episodes_over_days(
    spark: SparkSession, workload: str, lake: Path | str | None = None, only: str | None = None
) -> list[str]:
    """Make the views of a workload whose tables are registered, or the only one that is asked for, in small letters.
    Returns their names.
    """
    views = []
    folders = table_folders(workload, places.at(lake))
    for policy in policies_with_episodes(folders):
        name = policy + OVER_DAYS
        if only not in (None, name.lower()):
            continue
        values, keys = _columns(folders[policy + EPISODES], VALUES), _columns(folders[policy + JUDGED], KEYS)
        if values is not None and keys is not None:
            comment = quoted(f"One row is a run of time-points, over any number of days, at which {policy} is violated")
            has_share = _has(folders[policy + EPISODES], "share")
            asked = episodes_over_days(workload, policy, values, keys, has_share=has_share)
            spark.sql(f"CREATE OR REPLACE VIEW {identifier(workload, name)} COMMENT {comment} AS\n{asked}")
            views.append(name)
    return views


def policies_with_episodes(tables: Collection[str]) -> list[str]:
    """The policies that have a table of episodes and one of judged values.

    >>> policies_with_episodes(["events", "late_episodes", "late_judged", "bus_episodes"])
    ['late']
    """
    policies = [name.removesuffix(EPISODES) for name in tables if name.endswith(EPISODES)]
    return [policy for policy in policies if policy + JUDGED in tables]


def _columns(folder: Path, name: str) -> list[str] | None:
    """The columns that a property of a table names; None if it has no such property."""
    from deltalake import DeltaTable

    listed = DeltaTable(folder).metadata().configuration.get(name)
    return None if listed is None else [column for column in listed.split(",") if column]


def _has(folder: Path, column: str) -> bool:
    """Whether a table has a column."""
    from deltalake import DeltaTable

    return any(field.name == column for field in DeltaTable(folder).schema().fields)


def episodes_over_days(
    workload: str, policy: str, values: Sequence[str], keys: Sequence[str], *, has_share: bool = False
) -> str:
    """The query of the view.

    `values`: the columns that tell whose an episode is. `keys`: those of them on which it depends whether a point
    judges, as in the table of judged values. `has_share`: each episode says what share of its sub-log's points it has,
    and so how many these are on its day. Days that follow one another and are known are a stretch.

    >>> print(episodes_over_days("w", "p", ["x"], []))  # doctest: +ELLIPSIS
    SELECT min(day) AS first_day, max(day) AS last_day, min(first_ts) AS first_ts,
      min_by(first_offset, first_ts) AS first_offset, max(last_ts) AS last_ts,
      max_by(last_offset, last_ts) AS last_offset, max(last_ts) - min(first_ts) AS duration,
      sum(points) AS points,
      min_by(touches_begin, first_ts) AS touches_begin, max_by(touches_end, last_ts) AS touches_end, `x`
    FROM (
      SELECT *, sum(begins) OVER (PARTITION BY `x` ORDER BY day, first_ts, first_offset) AS episode
      FROM (
        SELECT *, CASE WHEN touches_begin
          AND lag(touches_end) OVER (PARTITION BY `x` ORDER BY day, first_ts, first_offset)
          AND (lag(day) OVER (PARTITION BY `x` ORDER BY day, first_ts, first_offset) = day - INTERVAL '1' DAY
            OR lag(day) OVER (PARTITION BY `x` ORDER BY day, first_ts, first_offset) = `judged before`
            AND lag(`known after`) OVER (PARTITION BY `x` ORDER BY day, first_ts, first_offset) = `known before`)
          THEN 0 ELSE 1 END AS begins
        FROM (
          SELECT e.*, j.before AS `judged before`, b.stretch AS `known before`, a.stretch AS `known after`
          ...
        )
      )
    )
    GROUP BY episode, `x`
    """
    own = [f"`{name}`" for name in values]
    over = _over(own, "day, first_ts, first_offset")
    columns = "".join(f", {name}" for name in own)
    judged_days = _with_judged_days(workload, policy, [f"`{name}`" for name in keys])
    # A share is a quotient of counts: rounded, points / share is the count of the sub-log's points again.
    share = "  sum(points) / sum(round(points / share)) AS share,\n" if has_share else ""
    return (
        "SELECT min(day) AS first_day, max(day) AS last_day, min(first_ts) AS first_ts,\n"
        "  min_by(first_offset, first_ts) AS first_offset, max(last_ts) AS last_ts,\n"
        "  max_by(last_offset, last_ts) AS last_offset, max(last_ts) - min(first_ts) AS duration,\n"
        "  sum(points) AS points,\n"
        f"{share}"
        f"  min_by(touches_begin, first_ts) AS touches_begin, max_by(touches_end, last_ts) AS touches_end{columns}\n"
        "FROM (\n"
        f"  SELECT *, sum(begins) OVER {over} AS episode\n"
        "  FROM (\n"
        "    SELECT *, CASE WHEN touches_begin\n"
        f"      AND lag(touches_end) OVER {over}\n"
        f"      AND (lag(day) OVER {over} = day - INTERVAL '1' DAY\n"
        f"        OR lag(day) OVER {over} = `judged before`\n"
        f"        AND lag(`known after`) OVER {over} = `known before`)\n"
        "      THEN 0 ELSE 1 END AS begins\n"
        f"    FROM (\n{judged_days}\n    )\n"
        "  )\n"
        ")\n"
        f"GROUP BY episode{columns}"
    )


def _with_judged_days(workload: str, policy: str, keys: Sequence[str]) -> str:
    """The episodes, each with the day before its own on which its values were judged.

    An episode also has the stretches of the days beside its own.
    """
    episodes, judged = (identifier(workload, policy + suffix) for suffix in (EPISODES, JUDGED))
    listed = "".join(f", {name}" for name in keys)
    equal = "".join(f" AND j.{name} = e.{name}" for name in keys)
    known = f"({_known_days(workload, policy)})"
    return (
        "      SELECT e.*, j.before AS `judged before`, b.stretch AS `known before`, a.stretch AS `known after`\n"
        f"      FROM {episodes} AS e\n"
        f"      LEFT JOIN (SELECT day{listed}, lag(day) OVER {_over(keys, 'day')} AS before FROM {judged}) AS j\n"
        f"        ON j.day = e.day{equal}\n"
        f"      LEFT JOIN {known} AS b ON b.day = e.day - INTERVAL '1' DAY\n"
        f"      LEFT JOIN {known} AS a ON a.day = e.day + INTERVAL '1' DAY"
    )


def _known_days(workload: str, policy: str) -> str:
    """The days of which it is known which values were judged, each with the number of its stretch."""
    results, judged = identifier(workload, "result_days"), identifier(workload, policy + JUDGED)
    follows = "lag(day) OVER (ORDER BY day) = day - INTERVAL '1' DAY"
    return (
        "SELECT day, sum(begins) OVER (ORDER BY day) AS stretch FROM (\n"
        f"        SELECT day, CASE WHEN {follows} THEN 0 ELSE 1 END AS begins FROM {results}\n"
        f"        WHERE query = {quoted(policy)} AND complete AND day NOT IN (SELECT day FROM {judged} WHERE is_cut)\n"
        "      )"
    )


def _over(columns: Sequence[str], order: str) -> str:
    """A window."""
    parts = f"PARTITION BY {', '.join(columns)} " if columns else ""
    return f"({parts}ORDER BY {order})"
