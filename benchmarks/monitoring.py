"""Monitoring first-order policies, measured in one run: `python benchmarks/monitoring.py [--events N]`.

Paper 01's star, linear and triangle and their past forms over its generated log, with its rates or equal ones, values
from a large and from a small domain, one or a thousand time-points a unit of time, and Zipf-distributed values. Each is
asked of the engine on points that are ready, of `cep.monitor` from a table, and of DuckDB and Polars on one thread, as
joins with equal answers (but for Zipf, where their joins would not end). Then a text log, a log of one event a point,
the policies of `data_usage`, slices, rivals of slicing, and growth. Times are the least process time of three runs. No
assertion on time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from three_atoms.formulas import ATOMS, EQUAL, LOGS, PAST, formula_of, log_of
from three_atoms.joins import by_duckdb, by_polars

import cep_core as cep
from cep_core.compile import parse_text
from cep_core.events.logs import monpoly
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.signature import parse_signature
from cep_core.events.logs.time_points import OFFSET, offsets_of, point_log_of, with_points
from cep_core.events.table import log_schema_of
from cep_core.experiments.generators.joins import FORMULAS
from cep_core.experiments.process_time import least_seconds
from cep_core.experiments.slicing_rows import compare_strategies
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.slicing import make_plan, ownership, split, statistics_of

ROOT = Path(__file__).resolve().parents[1]


def ready(name: str, log: pa.Table) -> tuple[PolicyEvaluator, PointLog]:
    """The compiled formula, and the log as points."""
    schema = log_schema_of(log)
    evaluator = PolicyEvaluator(parse_text(formula_of(name), "p.mfotl").bind(schema).query)
    offset = pa.array(offsets_of(log, "point"))
    return evaluator, point_log_of(log.append_column(OFFSET, offset), evaluator.looked_at)


def rates(count: int) -> Iterator[str]:
    """A row for each formula and log."""
    yield "| formula | log | verdicts | engine, M events/s | `cep.monitor` | DuckDB / engine | Polars / engine |"
    yield "|---|---|---|---|---|---|---|"
    past = (name + PAST for name in ATOMS)
    cases = [*((name, label) for label in LOGS for name in ATOMS), *((name, "domain 1e9") for name in past)]
    for name, label in cases:
        log = log_of(name, count, **LOGS[label])
        evaluator, points = ready(name, log)
        policy = evaluator.policy
        kernel = least_seconds(lambda: satisfied(policy.core, points, policy.types))  # noqa: B023
        table = least_seconds(lambda: cep.monitor(formula_of(name), None, log, end="closed"))  # noqa: B023
        verdicts = cep.monitor(formula_of(name), None, log, end="closed")
        assert isinstance(verdicts, pa.Table)
        ratios = "- | -"
        if "zipf" not in LOGS[label]:  # a join of a heavy value with itself, before time is looked at, would not end
            assert by_duckdb(name, log) == verdicts.num_rows == by_polars(name, log)
            rivals = (least_seconds(lambda: rival(name, log)) for rival in (by_duckdb, by_polars))  # noqa: B023
            ratios = " | ".join(f"{rival / kernel:.2f}" for rival in rivals)
        measured = f"{log.num_rows / kernel / 1e6:.1f} | {log.num_rows / table / 1e6:.1f} | {ratios}"
        yield f"| {name} | {label} | {verdicts.num_rows:,} | {measured} |"


def texts(count: int) -> Iterator[str]:
    """From the text of a log to verdicts."""
    log = log_of("star", count, **EQUAL)
    rows = zip(*(log[name].to_pylist() for name in ("ts", "event_type", "first", "second")), strict=True)
    text = "\n".join(f"@{ts} {kind}({first},{second})" for ts, kind, first, second in rows)
    signature = "P(first: int, second: int) Q(first: int, second: int) R(first: int, second: int)"
    reading = least_seconds(lambda: monpoly.read(text, parse_signature(signature)))
    whole = least_seconds(lambda: cep.monitor(formula_of("star"), signature, text, end="closed"))
    rates = f"read {count / reading / 1e6:.1f} M events/s, to verdicts {count / whole / 1e6:.1f}"
    yield f"text of {count:,} events, one a point: {rates}"


def single_events(count: int) -> Iterator[str]:
    """Past-only formulas on a log of one event a point (DejaVu's mode), beside the same log by time-stamp."""
    for name in ATOMS:
        log = log_of(name, count).drop_columns(["point"])
        spent = {
            points: least_seconds(
                lambda: cep.monitor(formula_of(name + PAST), None, log, points=points)  # noqa: B023
            )
            for points in ("by_timestamp", "by_event")
        }
        ratio = spent["by_event"] / spent["by_timestamp"]
        yield f"{name}-past by event takes {ratio:.2f} times as long as by time-stamp"


def usage(count: int) -> Iterator[str]:
    """The policies of the workload `data_usage` on a generated day of its log."""
    with TemporaryDirectory() as folder:
        script = [sys.executable, str(ROOT / "scripts" / "make_data_usage.py")]
        subprocess.run(
            [*script, "--rate", str(count), "--days", "1", "--into", folder], check=True, capture_output=True
        )
        [day] = Path(folder).glob("*.csv.gz")
        log = pyarrow.csv.read_csv(day)
    names = ["event_type" if name == "event" else name for name in log.column_names]
    log = log.rename_columns(names).drop_columns(["script"])
    for policy in sorted((ROOT / "workloads" / "data_usage" / "policies").glob("*.mfotl")):
        spent = least_seconds(lambda: cep.monitor(policy, None, log))  # noqa: B023
        yield f"data_usage {policy.stem}: {log.num_rows / spent / 1e6:.2f} M events/s from a table of {log.num_rows:,}"


def stored(part: pa.Table, evaluate: Callable[[pa.Table], Iterator[pa.RecordBatch]], path: str) -> None:
    """Evaluates a slice as a night does, which stores its events and what is found of it, so that both outlast a crash.

    Paper 01's snapshots of the state have this purpose.
    """
    pyarrow.parquet.write_table(part, path)
    for place, batch in enumerate(evaluate(pyarrow.parquet.read_table(path))):
        pyarrow.parquet.write_table(pa.Table.from_batches([batch]), f"{path}-{place}")


def slices(count: int) -> Iterator[str]:
    """Paper 01, section 7.2: each slice by itself, as a worker evaluates it; the slowest one, also with its files."""
    yield (
        "| formula | slices | maximum load | predicted | bound | copies | slowest / one slice | stored / not "
        "| splitter's share |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for name in ATOMS:
        as_read = log_of(name, count)
        log, points = with_points(as_read, "point")
        evaluator = PolicyEvaluator(parse_text(formula_of(name), "p.mfotl").bind(log_schema_of(log)).query)
        names = sorted({variable for atom in FORMULAS[name] for _, variable in atom.variables})
        alone = 0.0
        for number in (1, 2, 4, 8, 16):
            plan = make_plan({name: FORMULAS[name]}, names, statistics_of(log, FORMULAS[name]), number, "bench")
            splitting = least_seconds(lambda: split(plan, log))  # noqa: B023
            rows, owner = split(plan, log)
            spent, kept = [], []
            with TemporaryDirectory() as folder:
                for cell in range(plan.slices):
                    part = log.take(pa.array(rows[owner == cell]))
                    evaluate = partial(evaluator.evaluate, owned=ownership(plan, cell), points=points)
                    spent.append(least_seconds(lambda: list(evaluate(part))))  # noqa: B023
                    kept.append(least_seconds(lambda: stored(part, evaluate, f"{folder}/slice")))  # noqa: B023
            alone = alone or spent[0]
            if number == 1:
                whole = least_seconds(lambda: cep.monitor(formula_of(name), None, as_read, end="closed"))  # noqa: B023
                yield f"| {name}, in process / `cep.monitor`: {alone / whole:.2f} | | | | | | | | |"
            assert plan.predicted is not None
            load = max(int((owner == cell).sum()) for cell in range(plan.slices)) / log.num_rows
            predicted = f"{plan.predicted.maximum_load:.3f} | {plan.predicted.bound:.3f}"
            measured = f"{len(rows) / log.num_rows:.2f} | {max(spent) / alone:.2f}"
            measured += f" | {max(kept) / max(spent):.2f}"
            share = splitting / (splitting + sum(spent))
            yield f"| {name} | {plan.slices} | {load:.3f} | {predicted} | {measured} | {share:.2f} |"


def rivals(count: int) -> Iterator[str]:
    """Paper 01's slicing beside its rivals on policies: the share of events in the fullest of 16 slices, and copies."""
    yield "| policy | strategy | slices | maximum load | copies |"
    yield "|---|---|---|---|---|"
    for name in ATOMS:
        for form, text in ((name, formula_of(name)), (f"{name}-past", formula_of(name + PAST))):
            log, _ = with_points(log_of(name, count, **EQUAL, zipf={"a": 2.0}, matches=0.0), "point")
            evaluator = PolicyEvaluator(parse_text(text, "p.mfotl").bind(log_schema_of(log)).query)
            names = sorted({variable for atom in evaluator.atoms for _, variable in atom.variables})
            plan = make_plan({name: evaluator.atoms}, names, statistics_of(log, evaluator.atoms), 16, "bench")
            metrics_of: dict[str, dict[str, float]] = {}
            for row in compare_strategies(plan, log, 16, "bench").to_pylist():
                metrics_of.setdefault(row["strategy"], {})[row["metric"]] = row["value"]
            for strategy, metrics in metrics_of.items():
                if "replication" in metrics:
                    counted = f"{metrics['slices']:.0f} | {metrics['maximum load']:.3f} | {metrics['replication']:.2f}"
                    yield f"| {form} | {strategy} | {counted} |"


def growth(count: int) -> Iterator[str]:
    """The least CPU-time of eight rounds in which a quarter of the events, all, and four times as many take turns."""
    sizes = (count // 4, count, 4 * count)
    for name in ATOMS:
        asked = {size: ready(name, log_of(name, size, **EQUAL)) for size in sizes}
        spent: dict[int, list[float]] = {size: [] for size in sizes}
        for _ in range(8):
            for size, (evaluator, points) in asked.items():
                policy = evaluator.policy
                once = least_seconds(lambda: satisfied(policy.core, points, policy.types), 1)  # noqa: B023
                spent[size].append(once)
        few, some, many = (min(own) for own in spent.values())
        yield f"{name}: {1000 * few:.1f}, {1000 * some:.1f}, {1000 * many:.1f} ms; 16 times the events {many / few:.1f}"


PARTS = (rates, texts, single_events, usage, slices, rivals, growth)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(part.__name__ for part in PARTS)}; default: all")
    options = parser.parse_args()
    for part in PARTS:
        if not options.parts or part.__name__ in options.parts:
            for line in part(options.events):
                print(line, flush=True)


if __name__ == "__main__":
    main()
