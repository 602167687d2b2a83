"""Four ways to count the trends of a Kleene closure whose neighbours compare, in each group of a window.

- This engine.
- GRETA's own algorithm (Algorithm 2): it visits every edge and counts in machine words, which may wrap.
- Two steps, like SASE and CET: our matcher lists every trend, and the trends are counted.
- DuckDB self-joins, like Flink in the paper: one query for each length up to the longest trend.

Answers are compared wherever no word has wrapped. A way stops after a point that took more than LIMIT seconds, or if
there are too many trends to list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from greta.measures import LIMIT, measured
from numba import njit

import cep_core as cep
from cep_core.arrays import Ints

Curves = dict[str, list[tuple[float, float]]]

MOST_TRENDS = 1_000_000
"""The most trends that are listed or joined."""
WAYS = ("this engine", "every edge", "two steps", "self-joins")


@dataclass(frozen=True)
class Question:
    """Trends of events `kind` with `value * factor operator NEXT(value)`, of each `key`, over a whole log."""

    log: pa.Table
    kind: str = "S"
    key: tuple[str, ...] = ("g",)
    value: str = "price"
    operator: str = ">"
    factor: float = 1.0
    before: str = ""
    """The type of an event that must precede the trend, if any."""
    after: str = ""
    returned: tuple[str, ...] = field(default=("COUNT(*)",))

    @property
    def body(self) -> str:
        """The pattern with its conditions and window."""
        parts = [part for part in (self.before, f"{self.kind} X+", self.after) if part]
        pattern = f"SEQ({', '.join(parts)})" if len(parts) > 1 else f"({parts[0]})"
        left = f"X.{self.value}" if self.factor == 1.0 else f"X.{self.value} * {self.factor}"
        test = f"{left} {self.operator} NEXT(X).{self.value}"
        return f"PATTERN {pattern} WHERE [{', '.join(self.key)}] AND {test} WITHIN {pc.max(self.log['ts']).as_py() + 1}"

    @property
    def selectivity(self) -> float:
        """The share of pairs of a group's events, in time order, that satisfy the comparison, in per cent."""
        hits = pairs = 0
        for values in self.groups():
            fits = values[:, None] * self.factor > values[None, :]
            if self.operator == "<":
                fits = values[:, None] * self.factor < values[None, :]
            hits += int(np.triu(fits, 1).sum())
            pairs += len(values) * (len(values) - 1) // 2
        return 100 * hits / max(pairs, 1)

    def groups(self) -> list[Ints]:
        """The values of each group, in time order."""
        rows = self.log.filter(pc.equal(self.log["event_type"], self.kind))
        grouped = rows.group_by(list(self.key), use_threads=False).aggregate([(self.value, "list")])
        return [np.array(values, dtype=np.int64) for values in grouped[f"{self.value}_list"].to_pylist()]

    def engine(self) -> int:
        """The answer of this engine, exact."""
        query = f"RETURN {', '.join((*self.key, *self.returned))} {self.body} GROUP-BY {', '.join(self.key)}"
        counts = cep.aggregate(query, self.log, exact=True, cores=1)
        return sum(int(digits) for digits in counts["count_exact"].to_pylist())

    def edges(self) -> int:
        """The answer of GRETA's Algorithm 2, if no event precedes or follows the trend."""
        return sum(
            int(every_edge(values, self.factor, self.operator == "<", np.zeros(len(values), np.int64)))
            for values in self.groups()
        )

    def listed(self) -> int:
        """The answer of two steps."""
        return cep.match(self.body, self.log).num_rows

    def joins(self) -> int:
        """The answer of self-joins, one for each length."""
        base = duckdb.connect()
        base.execute("SET threads = 1")
        base.register("events", self.log)
        base.execute("CREATE TABLE s AS SELECT * FROM events")
        total, length = 0, 1
        while True:
            kinds = [kind for kind in (self.before, *[self.kind] * length, self.after) if kind]
            on = [f"e{k}.event_type = '{kind}'" for k, kind in enumerate(kinds)]
            for k in range(len(kinds) - 1):
                on += [f"e{k}.ts < e{k + 1}.ts", *(f"e{k}.{name} = e{k + 1}.{name}" for name in self.key)]
                if kinds[k] == kinds[k + 1]:
                    on.append(f"e{k}.{self.value} * {self.factor} {self.operator} e{k + 1}.{self.value}")
            tables = ", ".join(f"s e{k}" for k in range(len(kinds)))
            [count] = base.execute(f"SELECT count(*) FROM {tables} WHERE {' AND '.join(on)}").fetchone()
            if count == 0:
                return total
            total += count
            length += 1

    def ways(self) -> dict[str, Callable[[], int]]:
        """All ways that answer the question."""
        ways = {"this engine": self.engine, "two steps": self.listed, "self-joins": self.joins}
        return ways if self.before or self.after else {**ways, "every edge": self.edges}


@njit(cache=True)
def every_edge(values: Ints, factor: float, rising: bool, counts: Ints) -> int:
    """GRETA's Algorithm 2 over distinct times: every predecessor, one by one. Counts wrap if they outgrow a word."""
    final = 0
    for i in range(values.shape[0]):
        count = 1
        for j in range(i):
            if (values[j] * factor < values[i]) if rising else (values[j] * factor > values[i]):
                count += counts[j]
        counts[i] = count
        final += count
    return final


def compare_ways(inputs: Sequence[tuple[float, Question]], limits: dict[str, int]) -> tuple[Curves, Curves]:
    """Seconds and bytes of every way over inputs (x, question). `limits`: the largest input of a way, in events."""
    times: Curves = {name: [] for name in WAYS}
    bytes_of: Curves = {name: [] for name in WAYS}
    stopped: set[str] = set()
    for x, question in inputs:
        trends = question.engine()
        for name, run in question.ways().items():
            enumerates = name in ("two steps", "self-joins")
            too_many = enumerates and trends > MOST_TRENDS
            if name in stopped or too_many or len(question.log) > limits.get(name, len(question.log)):
                continue
            point = measured(run)
            if name != "every edge" or trends < 2**63:
                assert point.answer == trends, (name, x, point.answer, trends)
            times[name].append((x, point.seconds))
            bytes_of[name].append((x, point.peak))
            if point.seconds > LIMIT and enumerates:
                stopped.add(name)
    return times, bytes_of
