"""SASE++'s own plan with each of its optimisations on and off, beside our engine. `matching.py` runs it.

All plans are plain Python, so their times can be compared with each other. The ratio to our engine shows what columns
and counting gain. The matches of all plans are compared.
"""

from __future__ import annotations

import time
from dataclasses import replace

import pyarrow as pa
from kleene import logs
from kleene.pictures import draw

from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of
from cep_core.experiments.sase.execution_plan import ExecutionPlan, Optimisations
from cep_core.language.patterns.bind.binding import bind

PRUNED = Optimisations(prune_by_window=True)
ALL = replace(PRUNED, push_vertex=True, partition=True)
POSTPONED = replace(ALL, postpone=True)
GRID = {
    "SASE+ (window alone)": PRUNED,
    "+ vertex tests pushed": replace(PRUNED, push_vertex=True),
    "+ partitioned": ALL,
    "+ buffered (ZStream)": replace(ALL, buffer=True),
    "postponing": POSTPONED,
    "on the fly": replace(POSTPONED, on_the_fly=True),
    "collapsed": replace(POSTPONED, on_the_fly=True, collapse=True),
}
CLASSES = {
    "true-consistent": "b[i].x > max(b[..i-1].x)",
    "false-consistent": "c.x < max(b[..i].x)",
    "both": "b[i].x > 700",
    "inconsistent": "b[i].x > avg(b[..i-1].x)",
}


def optimisations() -> None:
    """The grid of plans for each class of predicate."""
    few = logs.abc(60, 0.4)
    query = "PATTERN SEQ(A a, B+ b[], C c) WHERE b[i].x > max(b[..i-1].x) WITHIN 20"
    plans = [ExecutionPlan(bind(query, log_schema_of(few)), options) for options in (Optimisations(), PRUNED)]
    if plans[0].matches(few) != plans[1].matches(few):
        raise AssertionError("pruning changed the matches")
    print("\nRuns of 60 events, window 20, kept for ever and pruned by window: ", end="")
    print(", ".join(f"{plan.counters.runs:,}" for plan in plans))
    events = logs.abc(2_000, 0.4)
    for name, condition in CLASSES.items():
        query = f"PATTERN SEQ(A a, B+ b[], C c) WHERE [k] AND a.x > 200 AND {condition} WITHIN 100"
        print(f"\n{name}: {condition}, {events.num_rows:,} events, window 100")
        print(f"{'':>28} {'runs':>9} {'edges':>9} {'cases':>8} {'tests':>8} {'results':>8} {'CPU s':>7}  times ours")
        ours = _ours(events, query)
        match_counts: set[int] = set()
        for label, options in GRID.items():
            plan = ExecutionPlan(bind(query, log_schema_of(events)), options)
            begin = time.process_time()
            matches = plan.matches(events)
            spent = time.process_time() - begin
            counters = plan.counters
            if not options.collapse:
                match_counts.add(len(matches))
            print(
                f"{label:>28} {counters.runs:>9,} {counters.edge_evaluations:>9,} {counters.cases:>8,} "
                f"{counters.tests:>8,} {len(matches):>8,} {spent:>7.2f} {spent / ours:>11.0f}"
            )
        if len(match_counts) != 1:
            raise AssertionError(match_counts)


def phases() -> None:
    """The cost of each phase as the window grows: initialisation, matching, construction (Fig. 5g-i)."""
    events = logs.abc(3_000, 0.4)
    plans = ("+ partitioned", "+ buffered (ZStream)", "postponing", "on the fly")
    for name in ("true-consistent", "false-consistent"):
        condition = CLASSES[name]
        print(f"\nBy phase as the window grows, {condition}: runs begun, edges evaluated, cases, CPU s")
        times: dict[str, list[tuple[float, float]]] = {label: [] for label in plans}
        work: dict[str, list[tuple[float, float]]] = {}
        for width in (20, 40, 60, 80, 100):
            query = f"PATTERN SEQ(A a, B+ b[], C c) WHERE [k] AND {condition} WITHIN {width}"
            line = [f"{width:>8}"]
            for label in plans:
                plan = ExecutionPlan(bind(query, log_schema_of(events)), GRID[label])
                begin = time.process_time()
                plan.matches(events)
                spent, counters = time.process_time() - begin, plan.counters
                times[label].append((width, spent))
                counted = {
                    "begun": counters.initialisations,
                    "edges": counters.edge_evaluations,
                    "cases": counters.cases,
                }
                for phase, number in counted.items():
                    if number and label in ("+ partitioned", "on the fly"):
                        work.setdefault(f"{label}: {phase}", []).append((width, number))
                line.append(f"{label}: {', '.join(f'{number:,}' for number in counted.values())}, {spent:.2f}")
            print("; ".join(line))
        draw(f"matching-plans-{name}", "CPU-seconds", "window", times)
        draw(f"matching-phases-{name}", "operations", "window", work)


def _ours(events: pa.Table, query: str) -> float:
    """The process time of listing every match, with kernels compiled."""
    evaluator = compile_query(query, log_schema_of(events))
    spent = 0.0
    for _ in range(2):
        begin = time.process_time()
        evaluator.merge(evaluator.evaluate(events))
        spent = time.process_time() - begin
    return max(spent, 1e-4)
