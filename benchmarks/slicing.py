"""Slicing, measured in one run: `python benchmarks/slicing.py [--events N]`.

It measures events per CPU-second of one core for counting, splitting and owning; the ratio to Algorithm 1 event by
event in plain Python, with equal answers; growth with the number of events and slices; and the cost of planning. It
repeats paper 01's experiment with skew (section 7.2, Fig. 11): the fullest slice over 20 seeds, if the splitter knows
heavy values and if not. Times are the least process time of three runs. No assertion on time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import pyarrow as pa

from cep_core.experiments.generators.joins import FORMULAS, JoinStream, generate
from cep_core.experiments.process_time import least_seconds
from cep_core.experiments.slicing_rows import loads_of
from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing import (
    Frequencies,
    Plan,
    Statistics,
    cell_of,
    make_plan,
    optimize_shares,
    split,
    statistics_of,
)
from cep_core.slicing.reference import slices_of_event
from cep_core.slicing.shares import searched

Row = tuple[str, float, str]

REFERENCE_EVENTS = 20_000


def stream(formula: str, count: int, zipf: dict[str, float], seed: int = 1) -> pa.Table:
    """A stream with equal rates of P, Q and R."""
    return generate(JoinStream(formula, seed, event_rate=count // 60, rate_p=1 / 3, rate_q=1 / 3, zipf=zipf))


def plan_for(formula: str, events: pa.Table, slices: int, seed: str, heavy: tuple[str, ...] | None) -> Plan:
    atoms = FORMULAS[formula]
    names = sorted({name for atom in atoms for _, name in atom.variables})
    return make_plan({formula: atoms}, names, statistics_of(events, atoms, 60), slices, seed, heavy=heavy)


def splitting(count: int) -> Iterator[Row]:
    """Rates of counting and splitting, and ratios to the reference, for integer and string values."""
    events = stream("triangle", count, {"a": 2.0})
    texts = events
    for name in ("first", "second"):
        column = texts.column_names.index(name)
        texts = texts.set_column(column, name, texts[name].cast(pa.string()))
    yield (
        "count statistics",
        count / least_seconds(lambda: statistics_of(events, FORMULAS["triangle"])) / 1e6,
        "M events/s",
    )
    for label, table in (("integers", events), ("strings", texts)):
        for heavy in ((), ("a",)):
            plan = plan_for("triangle", table, 16, "bench", heavy)
            case = "heavy values told" if heavy else "nothing heavy"
            rate = count / least_seconds(lambda plan=plan, table=table: split(plan, table))
            yield f"split, 16 slices, {label}, {case}", rate / 1e6, "M events/s"
            part = table.slice(0, REFERENCE_EVENTS)
            rows, numbers = split(plan, part)
            part_events = part.to_pylist()
            begin = time.process_time()
            expected = [(row, k) for row, event in enumerate(part_events) for k in sorted(slices_of_event(plan, event))]
            slow = REFERENCE_EVENTS / (time.process_time() - begin)
            assert expected == list(zip(rows.tolist(), numbers.tolist(), strict=True))
            yield f"ratio to Algorithm 1 by event, {label}, {case}", rate / slow, "times"
    valuations = pa.table(dict.fromkeys("abc", events["first"]))
    plan = plan_for("triangle", events, 16, "bench", ("a",))
    yield "own valuations", count / least_seconds(lambda: cell_of(plan, valuations)) / 1e6, "M valuations/s"


def growth(count: int) -> Iterator[Row]:
    """Nanoseconds per event as events and slices grow."""
    events = stream("triangle", count, {"a": 2.0})
    for part in (count // 100, count // 10, count):
        plan = plan_for("triangle", events.slice(0, part), 16, "bench", ())
        spent = least_seconds(lambda plan=plan, part=part: split(plan, events.slice(0, part)))
        yield f"split {part:,} events, 16 slices", spent / part * 1e9, "ns/event"
    for slices in (4, 64, 512):
        plan = plan_for("triangle", events, slices, "bench", ())
        copies = len(split(plan, events)[0]) / events.num_rows
        spent = least_seconds(lambda plan=plan: split(plan, events))
        yield f"split, {slices} slices, {copies:.0f} copies an event", spent / count * 1e9, "ns/event"


def planning() -> Iterator[Row]:
    """Milliseconds of Algorithm 2 by slices, variables and heavy variables."""
    for slices in (16, 256, 4096):
        spent = least_seconds(lambda slices=slices: optimize_shares(FORMULAS["triangle"], "abc", slices))
        yield f"optimise shares, triangle, {slices} slices", spent * 1e3, "ms"
    for heavy in ("", "a", "ab", "abcd"):
        spent = least_seconds(lambda heavy=heavy: optimize_shares(FORMULAS["linear"], "abcd", 64, heavy=heavy))
        yield f"optimise shares, linear, 64 slices, {len(heavy)} heavy variables", spent * 1e3, "ms"


def chain(length: int) -> list[Atom]:
    """Atoms that each share a variable with the next one."""
    return [Atom(f"P{n:02}", (("a", f"x{n:02}"), ("b", f"x{n + 1:02}"))) for n in range(length)]


def clique(size: int) -> list[Atom]:
    """An atom for each pair of variables."""
    pairs = combinations(range(size), 2)
    return [Atom(f"P{m:02}_{n:02}", (("a", f"x{m:02}"), ("b", f"x{n:02}"))) for m, n in pairs]


def with_heavy_values(atoms: list[Atom], rates: list[Fraction]) -> Statistics:
    """Statistics of atoms with these rates, in thousands, whose values have Zipf's frequencies, exponent 1.2."""
    events, frequencies = {}, {}
    for atom, rate in zip(atoms, rates, strict=True):
        events[atom.event_type] = 1000 * int(rate)
        values = (120 * int(rate) / np.arange(1, 10_001) ** 1.2).astype(np.int64)
        listed = Frequencies(pa.array(range(len(values))), values, 1000 * int(rate) - int(values.sum()))
        frequencies |= {(Atom(atom.event_type), place): listed for place in "ab"}
    return Statistics(events, frequencies)


def large_planning() -> Iterator[Row]:
    """Twenty variables on 256 slices: the search for shares, and a whole plan with heavy values and time ranges."""
    reach = Reach(time=3 * 86_400)
    for label, atoms in (("chain of 19 atoms", chain(19)), ("clique of 190 atoms", clique(20))):
        names = sorted({name for atom in atoms for _, name in atom.variables})
        random = np.random.default_rng(1).integers(1, 1000, len(atoms))
        for kind, rates in (("equal", [Fraction(100)] * len(atoms)), ("random", [Fraction(int(r)) for r in random])):
            case = f"{label}, {kind} rates"
            spent = least_seconds(lambda: searched(atoms, names, 256, rates, frozenset()))  # noqa: B023
            yield f"search shares, {case}", spent * 1e3, "ms"
            yield f"partial vectors, {case}", searched(atoms, names, 256, rates, frozenset())[1], "vectors"
            known = with_heavy_values(atoms, rates)
            spent = least_seconds(
                lambda: make_plan({"large": atoms}, names, known, 256, "bench", reach, (0, 86_400))  # noqa: B023
            )
            yield f"plan with heavy values and time ranges, {case}", spent * 1e3, "ms"


def skew() -> Iterator[Row]:
    """Paper 01, Fig. 11: Zipf exponent 2, means of 20 seeds. "chosen": the planner chooses the heavy values."""
    for formula, variable in (("star", "a"), ("linear", "b"), ("triangle", "b")):
        events = stream(formula, 60_000, {variable: 2.0})
        for slices in (4, 8, 16):
            for label, heavy in (("untold", ()), ("told", (variable,)), ("chosen", None)):
                plans = [plan_for(formula, events, slices, str(seed), heavy) for seed in range(20)]
                loads = [loads_of(partial(split, plan), plan.slices, events, events.num_rows) for plan in plans]
                case = f"{formula}({variable}), {slices} slices, heavy values {label}"
                yield f"{case}: maximum load", float(np.mean([load.maximum for load in loads])), "share"
                yield f"{case}: maximum / mean", float(np.mean([load.imbalance for load in loads])), "times"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000, help="events of the splitting measurements")
    options = parser.parse_args()
    for rows in (splitting(options.events), growth(options.events), planning(), large_planning(), skew()):
        for label, value, unit in rows:
            print(f"{label:<66} {value:>10.3f} {unit}", flush=True)


if __name__ == "__main__":
    main()
