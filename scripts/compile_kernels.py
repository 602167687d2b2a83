"""Compile the engines' kernels into the cache, so that the first night does not wait for them.

Every query of every workload that compiles is evaluated on a generated log of its schema. A few more queries reach the
kernels that only large numbers need. Numba keeps the machine code in NUMBA_CACHE_DIR. If no kernel's source has
changed, this takes a second; if the engines have changed, all kernels are compiled again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numba import config

import cep_core as cep
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import of_table
from cep_core.matching.choice.answering import ANSWERS
from cep_core.matching.choice.listings import LISTINGS
from cep_core.shedding.arrays.costs import Costs
from cep_core.trends.arrays.graph import Vertices, free_graph
from cep_core.trends.arrays.ranges import no_numbers
from cep_core.trends.arrays.window_vertices import list_windows
from cep_core.trends.choice.uncompared import count_by_panes
from cep_core.trends.plan.state_arrays import automaton
from jobs import places
from jobs.workload.compiled import compile_questions
from jobs.workload.declaration import load_workload
from jobs.workload.files.problems import WorkloadError

EVENTS = 300

DRAWN = {
    AttributeType.INT: lambda random: random.integers(0, 100, EVENTS),
    AttributeType.FLOAT: lambda random: random.uniform(0, 100, EVENTS),
    AttributeType.STRING: lambda random: random.choice(["a", "b"], EVENTS),
    AttributeType.BOOL: lambda random: random.choice([True, False], EVENTS),
}

FURTHER: tuple[tuple[str, Callable[..., pa.Table]], ...] = (
    # 150 events of a type in one window: more trends than a machine word or 38 digits can count.
    ("RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN A+ WITHIN 1000", cep.aggregate),
    ("RETURN COUNT(*) PATTERN A+ WITHIN 1000 SLIDE 250", cep.aggregate),
    # Windows that overlap often enough to meet.
    ("RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN (SEQ(A+, B))+ WITHIN 500 SLIDE 5", cep.aggregate),
    # Negation between the events of the common templates.
    ("RETURN COUNT(*) PATTERN (SEQ(A+, NOT B b, B))+ WITHIN 50", cep.aggregate),
    ("RETURN COUNT(*) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 1000", cep.aggregate),
    ("RETURN COUNT(*) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 1000 SLIDE 250", cep.aggregate),
    # Conditions that look at the order of events, over possible worlds.
    ("PATTERN SEQ(A a, B+ b[]) WHERE b[i].x > avg(b[..i-1].x) WITHIN 40 WITH CONFIDENCE > 0", cep.match),
    ("PATTERN SEQ(A a, B b) AND B c WITHIN 40 WITH CONFIDENCE > 0", cep.match),
    ("PATTERN SEQ(A a, NOT A n, B b) WITHIN 40 WITH CONFIDENCE > 0", cep.match),
    # Every way to answer a strategy (matches that only residues count are among them) and to list matches.
    *((choice.example, partial(cep.match, collapsed=True)) for choice in ANSWERS),
    *((choice.example, cep.match) for choice in LISTINGS),
    # Events that complete a match.
    ("PATTERN SEQ(A a, B+ b[]) WHERE b[i].x > b[i-1].x WITHIN 50", cep.detect),
    # Negations that other negations excuse, and listing under strategies with one match for each start.
    ("RETURN COUNT(*) PATTERN SEQ(A+, NOT SEQ(B, NOT A n), B b) WITHIN 1000", cep.aggregate),
    ("RETURN COUNT(*) PATTERN (SEQ(A, NOT SEQ(NOT A n, B)))+ WHERE B.x > 3 WITHIN 1000", cep.aggregate),
    ("RETURN COUNT(*), SUM(A.x) PATTERN SEQ(A+, B) WHERE skip_till_next_match WITHIN 1000", cep.aggregate),
)


def made_up_log(schema: LogSchema) -> pa.Table:
    """Random events of all types, ten time units apart."""
    random = np.random.default_rng(1)
    attributes: dict[str, Attribute] = {}
    for own in schema.types.values():
        attributes.update(own)
    columns = {name: pa.array(DRAWN[attribute.type](random)) for name, attribute in attributes.items()}
    names = random.choice(sorted(schema.types), EVENTS)
    stamps = pa.array(np.arange(EVENTS) * 10)
    return pa.table({"event_type": pa.array(names), "ts": stamps, "seq": pa.array(np.arange(EVENTS)), **columns})


def join_panes() -> None:
    """Windows joined from panes; chosen only for more events than a generated log has."""
    template = automaton(1, [0], [0], [(0, 0)])
    for sums in (0, 1):
        vertices = Vertices(
            tick=np.arange(EVENTS),
            states=np.ones(EVENTS, dtype=np.uint64),
            weights=np.ones((EVENTS, sums), dtype=np.int64),
            weighted=np.ones(sums, dtype=np.uint64),
            codes=np.zeros((EVENTS, sums), dtype=np.int64),
            coded=np.ones(sums, dtype=np.uint64),
        )
        windows = list_windows(vertices.tick, np.array([0, EVENTS]), 20, 10)
        numbers = no_numbers(vertices, len(windows.first))
        count_by_panes(free_graph(template, vertices), windows.ranges, numbers)


def shed() -> None:
    """Every strategy of load shedding on one small pattern: the kernels do not depend on the pattern."""
    numbers = LogSchema({name: {"x": Attribute("x", AttributeType.INT)} for name in ("A", "B")})
    pattern = {"ab": "PATTERN SEQ(A a, B b) WITHIN 90"}
    half = 5 * EVENTS
    cep.shed(pattern, made_up_log(numbers), (half, 2 * half), costs=Costs(((5, 5),)), bound=60, loads=[2.0], seeds=[0])


def forget_outdated() -> None:
    """Delete code compiled before the engines last changed: Numba checks a kernel's own file, not its callees."""
    engines = Path(cep.__file__).parent
    changed = max(source.stat().st_mtime for source in engines.rglob("*.py"))
    for index in Path(config.CACHE_DIR).rglob("*.nbi") if config.CACHE_DIR else ():
        if index.stat().st_mtime < changed:
            index.unlink()


def main() -> None:
    begun = time.perf_counter()
    forget_outdated()
    evaluated = 0
    for folder in sorted(path.parent for path in places.workloads().glob("*/workload.yaml")):
        try:
            workload = load_workload(folder.name)
        except WorkloadError:
            continue  # `trendmill check` says what is wrong with it; set-up goes on without it
        compiled, _ = compile_questions(workload)
        log = made_up_log(workload.schema)
        for query in compiled.values():
            for table in query.evaluator.tables:
                if table.evaluate is not None:
                    table.merge(of_table(table.evaluate(log), table.suffix))
            evaluated += 1
    numbers = LogSchema({name: {"x": Attribute("x", AttributeType.INT)} for name in ("A", "B")})
    for text, evaluate in FURTHER:
        evaluate(text, made_up_log(numbers))
        evaluated += 1
    join_panes()
    shed()
    print(f"compiled by {evaluated} queries in {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
