"""Events transposed for counting: one row for each value that an event has in a slicing attribute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cep_core.language.evaluator import Atom

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

OF_TYPE = -1
"""The number of every relation that is a whole event type; `event_type` tells which."""


def slicing_places(atoms: Iterable[Atom]) -> tuple[tuple[str, str], ...]:
    """The (event type, attribute) pairs that bind a slicing variable, sorted.

    >>> slicing_places([Atom("B", (("x", "v"), ("y", "w"))), Atom("A", (("x", "v"),)), Atom("A")])
    (('A', 'x'), ('B', 'x'), ('B', 'y'))
    """
    return tuple(sorted({(atom.event_type, attribute) for atom in atoms for attribute, _ in atom.variables}))


def matches(atom: Atom) -> Column:
    """Whether an atom, or a relation, matches an event (`cep_core.slicing.atom_rows`, in SQL)."""
    from pyspark.sql import functions as f

    condition = f.col("event_type") == atom.event_type
    for attribute, value in atom.constants:
        condition &= f.col(attribute) == f.lit(value)
    first: dict[str, str] = {}
    for attribute, variable in atom.variables:
        condition &= f.col(attribute).isNotNull()
        condition &= f.col(attribute) == f.col(first.setdefault(variable, attribute))
    return condition


def attribute_values(
    events: DataFrame, places: Iterable[tuple[str, str]], relations: Sequence[tuple[Atom, str]] = ()
) -> DataFrame:
    """Rows (day, event_type, ts, relation, attribute, value): values as text, without nulls.

    `places`: the (event type, attribute) pairs whose values are wanted, with the relation `OF_TYPE`; `relations`: the
    (relation, attribute) pairs whose values are wanted, too, each with its number.
    """
    from pyspark.sql import functions as f

    def entry(relation: int, attribute: str, wanted: Column) -> Column:
        column = f.col(attribute)
        if kinds[attribute] == "double":
            column = column + f.lit(0.0)  # 0.0 and -0.0 are one value, but two texts
        value = f.when(wanted, column.cast("string"))
        return f.struct(f.lit(relation).alias("relation"), f.lit(attribute).alias("attribute"), value.alias("value"))

    kinds = dict(events.dtypes)
    carried: dict[str, set[str]] = {}
    for event_type, attribute in places:
        carried.setdefault(attribute, set()).add(event_type)
    entries = [
        *(
            entry(OF_TYPE, attribute, f.col("event_type").isin(sorted(types)))
            for attribute, types in sorted(carried.items())
        ),
        *(entry(number, attribute, matches(relation)) for number, (relation, attribute) in enumerate(relations)),
    ]
    none = f.struct(
        f.lit(OF_TYPE).alias("relation"), f.lit("").alias("attribute"), f.lit(None).cast("string").alias("value")
    )
    exploded = events.select("day", "event_type", "ts", f.explode(f.array(*entries or [none])).alias("entry"))
    rows = exploded.select("day", "event_type", "ts", "entry.relation", "entry.attribute", "entry.value")
    return rows.where("value IS NOT NULL")
