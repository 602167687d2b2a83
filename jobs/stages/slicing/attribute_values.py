"""Events transposed for counting: one row for each value that an event has in a slicing attribute."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cep_core.language.evaluator import Atom

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def slicing_places(atoms: Iterable[Atom]) -> tuple[tuple[str, str], ...]:
    """The (event type, attribute) pairs that bind a slicing variable, sorted.

    >>> slicing_places([Atom("B", (("x", "v"), ("y", "w"))), Atom("A", (("x", "v"),)), Atom("A")])
    (('A', 'x'), ('B', 'x'), ('B', 'y'))
    """
    return tuple(sorted({(atom.event_type, attribute) for atom in atoms for attribute, _ in atom.variables}))


def attribute_values(events: DataFrame, places: Iterable[tuple[str, str]]) -> DataFrame:
    """Rows (day, event_type, ts, attribute, value): values as text, without nulls."""
    from pyspark.sql import functions as f

    carried: dict[str, set[str]] = {}
    for event_type, attribute in places:
        carried.setdefault(attribute, set()).add(event_type)
    entries = [
        f.struct(
            f.lit(attribute).alias("attribute"),
            f.when(f.col("event_type").isin(sorted(types)), f.col(attribute).cast("string")).alias("value"),
        )
        for attribute, types in sorted(carried.items())
    ]
    none = f.struct(f.lit("").alias("attribute"), f.lit(None).cast("string").alias("value"))
    exploded = events.select("day", "event_type", "ts", f.explode(f.array(*entries or [none])).alias("entry"))
    return exploded.select("day", "event_type", "ts", "entry.attribute", "entry.value").where("value IS NOT NULL")
