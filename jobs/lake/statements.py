"""The SQL of the project: `sql/<what>/<table>.sql` computes `<table>`; values are bound as named parameters.

spark.sql(statement("load", "staged_events"), args={"start": date(2013, 1, 1)})
"""

from __future__ import annotations

from jobs import places


def statement(what: str, table: str) -> str:
    """The text of one SQL file."""
    return (places.project() / "sql" / what / f"{table}.sql").read_text(encoding="utf-8")
