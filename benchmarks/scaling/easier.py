"""Easier versions of the questions, asked of the same Parquet files by DuckDB and Polars.
`python -m scaling.easier SYSTEM QUESTION FILES GIGABYTES`.

- `counts`, for `rising`: the As of each key and minute, and their largest value; no order, no runs.
- `pairs`, for `triples`: after which As does the next B of the key follow within 20 seconds; no values, no Cs.
- `unanswered`: the same question, by one nearest B. `settled` is the same for C.

No loading, no lake, no repair after late data, no listing: a number is all that comes out. Each system has two threads.
Each question is asked in a process of its own, whose end for want of memory is told.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from scaling.apart import run_apart

LARGE, MINUTE, WITHIN = 990_000, 60_000, 20_000
PAIRED = """SELECT count(*) FROM (SELECT * FROM log WHERE kind = 'A'{large}) a
    ASOF {join} JOIN (SELECT "at", key FROM log WHERE kind = '{then}') n
    ON a.key = n.key AND a."at" {before} n."at" WHERE {where}"""
SILENT = f'n."at" IS NULL OR n."at" > a."at" + {MINUTE}'
AT_LARGE = {"large": f" AND value >= {LARGE}", "join": "LEFT", "before": "<=", "where": SILENT}
SQL = {
    "counts": f"""SELECT count(*) FROM (SELECT key, "at" // {MINUTE}, count(*), max(value)
        FROM log WHERE kind = 'A' GROUP BY ALL)""",
    "pairs": PAIRED.format(large="", join="", then="B", before="<", where=f'n."at" <= a."at" + {WITHIN}'),
    "unanswered": PAIRED.format(then="B", **AT_LARGE),
    "settled": PAIRED.format(then="C", **AT_LARGE),
}


def in_duckdb(name: str, files: str, memory: float) -> int:
    """The number that a question gives."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="trendmill-easier-") as spill:
        connection = duckdb.connect(
            config={
                "threads": 2,
                "memory_limit": f"{memory}GB",
                "temp_directory": spill,
                "preserve_insertion_order": False,
            }
        )
        connection.execute(f"CREATE VIEW log AS SELECT * FROM read_parquet('{files}')")
        rows = connection.execute(SQL[name]).fetchall()
        return int(rows[0][0])


def in_polars(name: str, files: str, memory: float) -> int:
    """The same. Polars takes the memory that it needs."""
    import polars as pl

    log = pl.scan_parquet(files)
    first, key, at = log.filter(pl.col("kind") == "A"), pl.col("key"), pl.col("at")
    if name == "counts":
        groups = first.group_by(key, at // MINUTE).agg(pl.len(), pl.col("value").max())
        return int(groups.select(pl.len().alias("groups")).collect(engine="streaming").item())
    then = log.filter(pl.col("kind") == ("C" if name == "settled" else "B")).select("key", at.alias("then"))
    if name == "pairs":
        first, most = first.with_columns(at + 1), WITHIN - 1
    else:
        first, most = first.filter(pl.col("value") >= LARGE), MINUTE
    joined = first.set_sorted("at").join_asof(
        then.set_sorted("then"),
        left_on="at",
        right_on="then",
        by="key",
        strategy="forward",
        tolerance=most,
        check_sortedness=False,
    )
    answered = pl.col("then").is_not_null()
    wanted = joined.filter(answered if name == "pairs" else ~answered)
    return int(wanted.select(pl.len().alias("rows")).collect().item())


SYSTEMS: Mapping[str, Callable[[str, str, float], int]] = {"duckdb": in_duckdb, "polars": in_polars}


def easier(folder: Path, memory: float) -> dict[str, dict[str, tuple[float, float, int] | None]]:
    """By system and question: wall seconds, gigabytes at most, and the number; None: it had not enough memory.

    `memory`: gigabytes that a system may use.
    """
    return {system: {name: _asked(system, name, folder, memory) for name in SQL} for system in SYSTEMS}


def _asked(system: str, name: str, folder: Path, memory: float) -> tuple[float, float, int] | None:
    run = run_apart("easier", system, name, f"{folder}/log*.parquet", str(memory))
    if run.returncode:
        print(f"    {system} {name} ended with {run.returncode}: {run.stderr.strip()[-500:]}", flush=True)
        return None
    seconds, peak, number = run.stdout.split()
    return float(seconds), float(peak), int(number)


def main(system: str, name: str, files: str, memory: float) -> None:
    import resource

    begin = time.perf_counter()
    number = SYSTEMS[system](name, files, memory)
    seconds = time.perf_counter() - begin
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, number)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]))
