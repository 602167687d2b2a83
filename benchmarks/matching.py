"""Kleene matching, measured in one run: `python benchmarks/matching.py [part ...]`.

It prints events and matches per CPU-second of one core, with kernels compiled before (the process time of a second
run). In the same run it measures ratios: to a naive engine that keeps every run (compiled as well), to SASE++'s own
plan with each of its optimisations on and off (plain Python), and to DuckDB's self-joins if a pattern has a fixed
length. Answers are compared. Our engine is timed from the Arrow table to the result, filtering included. No assertion
on time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from kleene import logs
from kleene.answers import EVENTS, RISING, matched, seconds, short, total_of
from kleene.counting import counting
from kleene.plans import optimisations, phases
from kleene.relations import cluster_study, imprecise
from kleene.sequences import sequences

from cep_core.events.table import log_schema_of
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.settings import Settings
from cep_core.matching.arrays.event_graph import event_graph
from cep_core.matching.arrays.network import with_places
from cep_core.matching.choice.any_match import questions_about
from cep_core.matching.detecting import completing_events, completing_rows
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.matching.kernels.counting import count_matches
from cep_core.matching.kernels.latest_beginnings import needed_edges
from cep_core.matching.kernels.one_closure import ClosureEvents, list_closures, positions
from cep_core.numbers.lanes import LIMIT


def listing() -> None:
    print("\nListing every match of the same query")
    events = logs.abc(EVENTS, 0.12)
    for width in (50, 100, 200):
        query = RISING.format(strategy="skip_till_any_match", width=width)
        table, spent = seconds(partial(matched, events, query, None))
        rows, compactly = seconds(partial(matched, events, query, None, collapsed=True))
        print(f"{width:>8} {table.num_rows:>12,} matches {table.num_rows / spent:>12,.0f} matches/s", end="")
        print(f"; as {rows.num_rows:,} compact rows in {compactly / spent:.2f} of the time")
    print("\nOne match for each start")
    for strategy in ("skip_till_next_match", "strict_contiguity"):
        for condition in ("b[i].x >= b[i-1].x", "b[i].x >= avg(b[..i-1].x)"):
            query = RISING.format(strategy=strategy, width=1000).replace("b[i].x >= b[i-1].x", condition)
            table, spent = seconds(partial(matched, events, query, None))
            print(f"{strategy:>24} {condition:<26} {table.num_rows:>8,} matches {EVENTS / spent:>12,.0f} events/s")


def joins() -> None:
    """Patterns of a fixed length against DuckDB, on one thread."""
    import duckdb

    print("\nFixed lengths against self-joins in DuckDB (one thread), counting, window 25")
    for length, size in ((2, 100_000), (3, 100_000), (4, 2_000)):
        events = logs.chain(size, length)
        units = ", ".join(f"A{k + 1} a{k + 1}" for k in range(length))
        table, ours = seconds(partial(matched, events, f"PATTERN SEQ({units}) WITHIN 25"))
        base = duckdb.connect(config={"threads": 1})
        base.register("log", events)
        for k in range(length):
            base.execute(f"create table e{k + 1} as select ts from log where event_type = 'A{k + 1}'")
        source = ", ".join(f"e{k + 1}" for k in range(length))
        order = " and ".join(f"e{k + 1}.ts > e{k}.ts and e{k + 1}.ts <= e1.ts + 25" for k in range(1, length))
        sql = f"select count(*) from {source} where {order}"
        (joined,), theirs = seconds(lambda base=base, sql=sql: base.execute(sql).fetchone())
        if joined != total_of(table):
            raise AssertionError((joined, total_of(table)))
        print(
            f"{length:>8} units {size:>8,} events {joined:>12,} matches {ours:>7.3f} s, "
            f"DuckDB {theirs:>7.3f} s: {theirs / ours:.1f} x"
        )


def real() -> None:
    """Public logs, if they lie beside the repository."""
    cases = [
        (
            "NASDAQ: a buy, rising sells within 5 s, a buy",
            logs.nasdaq(),
            "PATTERN SEQ(BUY a, SELL+ b[], BUY c) WHERE [name] AND b[i].price >= b[i-1].price WITHIN 5000",
        ),
        (
            "NASDAQ: sells above the average so far, next match",
            logs.nasdaq(),
            "PATTERN SEQ(BUY a, SELL+ b[], BUY c) WHERE skip_till_next_match { [name] AND b[i].price >= "
            "avg(b[..i-1].price) } WITHIN 5000",
        ),
        (
            "cluster: scheduled, evicted again and again, finished",
            logs.cluster(),
            "PATTERN SEQ(Schedule a, Evict+ b[], Finish c) WHERE [job] WITHIN 5000",
        ),
        (
            "Hadoop containers: E89, any E31s, E37 within 30 lines",
            logs.containers(),
            "PATTERN SEQ(E89 a, E31+ b[], E37 c) WHERE [container] WITHIN 30",
        ),
    ]
    print("\nPublic logs, counting")
    for name, events, query in cases:
        if events is None:
            print(f"{name}: the data is not there")
            continue
        table, spent = seconds(partial(matched, events, query))
        rate = events.num_rows / spent
        print(f"{name:<58} {events.num_rows:>8,} events {short(total_of(table)):>14} {rate:>11,.0f} events/s")


def detecting() -> None:
    """Finds the events that complete a match: end to end, and by the pass alone."""
    print("\nDetecting, 1,000,000 events, window 10,000: the pass alone, and from the table on")
    for relevant in (0.12, 1.0):
        events = logs.abc(1_000_000, relevant)
        for condition in ("b[i].x >= b[i-1].x", "b[1].x > a.x AND b[i].x >= b[i-1].x"):
            text = RISING.format(strategy="skip_till_any_match", width=10_000).replace("b[i].x >= b[i-1].x", condition)
            query = bind(text, log_schema_of(events))
            evaluator = MatchEvaluator(query, Settings(collapsed=True))
            graph = event_graph(evaluator.plan, events)
            network = with_places(graph.network, graph.offsets, needed_edges(graph.network))
            detection = partial(completing_rows, network, graph, query.window)
            (completing, _), alone = seconds(detection)
            table, spent = seconds(partial(completing_events, evaluator, events))
            if len(table) != len(completing):
                raise AssertionError((len(table), len(completing)))
            rates = f"{events.num_rows / alone:>12,.0f} events/s {events.num_rows / spent:>12,.0f}"
            print(f"{relevant:>8.0%} relevant, {condition:<38} {len(table):>8,} events {rates}")


def kernels() -> None:
    """Counting and listing when the graph of events is built. The rest of the whole cost is filtering."""
    print("\nKernels alone: counting, listing")
    for width, size, all_of_them in (
        (200, EVENTS, True),
        (250, EVENTS, True),
        (1_000, EVENTS, False),
        (10_000, EVENTS, False),
    ):
        events = logs.abc(size, 0.12)
        query = bind(RISING.format(strategy="skip_till_any_match", width=width), log_schema_of(events))
        evaluator = MatchEvaluator(query)
        graph = event_graph(evaluator.plan, events)
        ends = questions_about(graph, evaluator.plan.automaton, query.window, None).ends
        network = with_places(graph.network, graph.offsets)
        (counts, large), counted = seconds(partial(count_matches, network, ends))
        total = sum(counts.tolist()) + sum(count - LIMIT for count in large.values())
        line = f"{width:>8} {short(total):>18} matches: counted at {size / counted:>12,.0f} events/s"
        if all_of_them:
            lists = positions(network, graph.offsets, graph.seq, ends)
            assert lists is not None
            arguments = (network, ClosureEvents(lists, graph.seq, graph.ts), ends, counts)
            listed, spent = seconds(lambda a=arguments: sum(len(batch.first) for batch in list_closures(*a)))
            if listed != total:
                raise AssertionError((listed, total))
            line += f", listed at {listed / spent:>12,.0f} matches/s"
        print(line)


PARTS: dict[str, Callable[[], None]] = {
    "counting": counting,
    "listing": listing,
    "joins": joins,
    "sequences": sequences,
    "real": real,
    "detecting": detecting,
    "kernels": kernels,
    "imprecise": imprecise,
    "hadoop": cluster_study,
    "optimisations": optimisations,
    "phases": phases,
}


def main() -> None:
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
