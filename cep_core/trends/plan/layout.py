"""The columns of an aggregation's result and of its partial results (docs/language.md, Results)."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import CERTAIN
from cep_core.language.patterns.query import Aggregate, Query
from cep_core.numbers.integer_columns import DECIMAL
from cep_core.trends.plan.aggregates import Aggregates, Item

ARROW_TYPES = {
    AttributeType.INT: pa.int64(),
    AttributeType.FLOAT: pa.float64(),
    AttributeType.STRING: pa.string(),
    AttributeType.BOOL: pa.bool_(),
}


@dataclass(frozen=True)
class Layout:
    """Names and types of the columns of a query's results."""

    query: Query
    aggregates: Aggregates
    exact: bool

    @property
    def groups(self) -> tuple[pa.Field, ...]:
        """The grouped attributes, under the names that RETURN gives them."""
        types = {key.name: ARROW_TYPES[key.type] for key in self.query.key_classes}
        names = {item.attribute: item.column for item in self.query.returns if item.attribute is not None}
        return tuple(pa.field(names.get(name, name), types[name]) for name in self.query.group_by)

    @property
    def result(self) -> pa.Schema:
        """The columns of the result."""
        fields = [*self.groups, pa.field("window_start", pa.int64()), pa.field("window_end", pa.int64())]
        for item in self.aggregates.items:
            fields += [pa.field(name, kind) for name, kind in self.columns_of(item)]
        return pa.schema(fields)

    def columns_of(self, item: Item) -> list[tuple[str, pa.DataType]]:
        """The columns of one item of RETURN: its value, and what tells its size where a number has no limit."""
        name, aggregate = item.source.column, item.source.aggregate
        kind = ARROW_TYPES[item.source.type] if item.source.type is not None else pa.int64()
        if aggregate in (Aggregate.MIN, Aggregate.MAX):
            return [(name, kind)]
        whole = aggregate is not Aggregate.AVG and not pa.types.is_floating(kind)
        columns = [(name, DECIMAL if whole else pa.float64()), (f"{name}_log10", pa.float64())]
        if aggregate is Aggregate.SUM:
            columns.append((f"{name}_sign", pa.int8()))
        if whole and self.exact:
            columns.append((f"{name}_exact", pa.string()))
        return columns

    @property
    def partial(self) -> pa.Schema:
        """The columns of a partial result."""
        fields = [*self.groups, pa.field("window_start", pa.int64()), pa.field(CERTAIN, pa.int64())]
        for i in range(self.totals):
            fields += [
                pa.field(f"total_{i}", pa.int64()),
                pa.field(f"large_{i}", pa.binary()),
                pa.field(f"shift_{i}", pa.int32()),
            ]
        fields += [
            pa.field(f"minimum_{i}", ARROW_TYPES[minimum.type]) for i, minimum in enumerate(self.aggregates.minima)
        ]
        return pa.schema(fields)

    @property
    def totals(self) -> int:
        """How many totals there are, the number of trends included."""
        return 1 + len(self.aggregates.totals)

    @property
    def size(self) -> int:
        """Length of a window."""
        return self.query.window.size

    @property
    def slide(self) -> int:
        """Distance of windows; tumbling without SLIDE."""
        return self.query.window.slide or self.query.window.size
