"""Compile the engines' kernels into the cache, so that the first night does not wait for them.

Every query of every workload that compiles is evaluated on a made-up log of its schema, and a few queries more reach
the kernels that only large numbers need. Numba keeps the machine code in NUMBA_CACHE_DIR; where a kernel's source has
not changed since, this reads it back in a second; once the engines have changed, all are compiled again.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numba import config

import cep_core as cep
from cep_core.events.schema import Attribute, AttributeType, LogSchema
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

FURTHER = (
    # 150 events of a type in one window: more trends than a machine word counts, and than 38 digits tell.
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
    # Matches that only residues count, and runs that look at all that they have bound.
    ("PATTERN A+ WITHIN 1000", partial(cep.match, collapsed=True)),
    ("PATTERN A+ a[] WHERE skip_till_next_match { a[i].x > avg(a[..i-1].x) } WITHIN 1000", cep.match),
    # Position lists, and events that complete a match.
    ("PATTERN SEQ(A a, B+ b[], A c) WHERE b[i].x > b[i-1].x WITHIN 50", cep.match),
    ("PATTERN SEQ(A a, B+ b[]) WHERE b[i].x > b[i-1].x WITHIN 50", cep.detect),
    # Negations that others excuse, and the listing of strategies with one match for each start.
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
    """Windows joined from panes, which pays only for more events than a made-up log has."""
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
    """Every strategy of load shedding on one small pattern: the kernels do not depend on what it asks."""
    numbers = LogSchema({name: {"x": Attribute("x", AttributeType.INT)} for name in ("A", "B")})
    pattern = {"ab": "PATTERN SEQ(A a, B b) WITHIN 90"}
    half = 5 * EVENTS
    cep.shed(pattern, made_up_log(numbers), (half, 2 * half), costs=Costs(((5, 5),)), bound=60, loads=[2.0], seeds=[0])


def forget_outdated() -> None:
    """Drop what was compiled before the engines last changed: Numba looks at a kernel's own file, not its callees."""
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
            continue  # `trendmill check` tells what is wrong with it; set-up goes on without
        compiled, _ = compile_questions(workload)
        log = made_up_log(workload.schema)
        for query in compiled.values():
            query.evaluator.merge(query.evaluator.evaluate(log))
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
