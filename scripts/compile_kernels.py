"""Compile the kernels of the engines and of reading into the cache, so that the first night does not wait for them.

Every query of every workload that compiles is evaluated on a generated log of its schema. A few more queries
(`compiling/further_queries.py`) reach the kernels that only large numbers need. Engines are compiled beside each other,
in as many processes as there are cores: they share few kernels, and the compiler uses one core. Numba keeps the machine
code in NUMBA_CACHE_DIR. If no kernel's source has changed, this takes a second; if the engines have changed, all
kernels are compiled again.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from compiling.further_queries import (
    FURTHER_AGGREGATIONS,
    FURTHER_PATTERNS,
    FURTHER_POLICIES,
    FURTHER_PROPOSITIONAL,
    HUB,
    NUMBERS,
    OF_POLICIES,
    PATTERNS_OF_POSSIBLE_WORLDS,
    POLICIES_ON_MANY_EVENTS,
    STREAMED_POLICIES,
    TRIANGLE,
)
from compiling.quick_compiler import quicken_compiler
from numba import config

import cep_core as cep
from cep_core.compile import bind_text
from cep_core.events.logs import dejavu, monpoly, rv_csv
from cep_core.events.logs.signature import parse_signature
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import Evaluator, of_table
from cep_core.monitoring.first_order.choice.event_rows import MANY
from cep_core.numbers.close_numbers import CloseNumbers, Room
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.training.calibrating import measured_shedding
from cep_core.trends.choice.table import KERNELS
from jobs import places
from jobs.raw import reading
from jobs.raw.reading.file_form import FileForm, ParquetForm, TextForm
from jobs.raw.reading.file_rows import rows_in, survey_of
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


def made_up_log(schema: LogSchema) -> pa.Table:
    """Random events of all types, ten time units apart."""
    random = np.random.default_rng(1)
    attributes: dict[str, Attribute] = {}
    for declared in schema.types.values():
        attributes.update(declared)
    columns = {name: pa.array(DRAWN[attribute.type](random)) for name, attribute in attributes.items()}
    names = random.choice(sorted(schema.types), EVENTS)
    stamps = pa.array(np.arange(EVENTS) * 10)
    return pa.table({"event_type": pa.array(names), "ts": stamps, "seq": pa.array(np.arange(EVENTS)), **columns})


def forget_outdated() -> None:
    """Delete code compiled before the engines last changed: Numba checks a kernel's own file, not its callees."""
    compiled = (Path(cep.__file__).parent, Path(reading.__file__).parent)
    changed = max(source.stat().st_mtime for folder in compiled for source in folder.rglob("*.py"))
    for index in Path(config.CACHE_DIR).rglob("*.nbi") if config.CACHE_DIR else ():
        if index.stat().st_mtime < changed:
            index.unlink()


def compile_matching() -> int:
    """Compile the kernels that find matches. Returns the number of queries."""
    log = made_up_log(NUMBERS)
    log = log.append_column("y", log["x"].cast(pa.float64()))
    log = log.append_column("z", pc.multiply(log["x"], 1 << 55))  # sums that outgrow a machine word
    for text, evaluate in FURTHER_PATTERNS:
        evaluate(text, log)
    return len(FURTHER_PATTERNS) + compile_declared("cep_core.matching")


def compile_possible_worlds() -> int:
    """Compile the kernels that find matches among events whose order is not known. Returns the number of queries."""
    log = made_up_log(NUMBERS)
    for text in PATTERNS_OF_POSSIBLE_WORLDS:
        cep.match(text, log)
    return len(PATTERNS_OF_POSSIBLE_WORLDS)


def compile_trends() -> int:
    """Compile the kernels that aggregate trends. Returns the number of queries."""
    log = made_up_log(NUMBERS)
    examples = [example for kernel in KERNELS for example in kernel.examples]
    for text in FURTHER_AGGREGATIONS:
        cep.aggregate(text, log)
    for example in examples:
        cep.aggregate(example.query, example.log())
    return len(FURTHER_AGGREGATIONS) + len(examples) + compile_declared("cep_core.trends")


def compile_shedding() -> int:
    """Run every strategy of load shedding on one small pattern, since the kernels do not depend on the pattern, and
    measure what they cost."""
    pattern = {"ab": "PATTERN SEQ(A a, B b) WITHIN 90"}
    half, costs = 5 * EVENTS, Costs(((5, 5),))
    cep.shed(pattern, made_up_log(NUMBERS), (half, 2 * half), costs=costs, bound=60, loads=[2.0], seeds=[0])
    measured_shedding(time.thread_time_ns)
    return 1


def compile_monitoring_first_order() -> int:
    """Compile the kernels that monitor first-order policies. Returns the number of policies."""
    random = np.random.default_rng(1)
    events = (f"A({x}) B({x},{y}) C({x},{f:.2f},{'ab'[s]})" for x, y, f, s in random.integers(0, 9, (EVENTS, 4)) % 2)
    log = " ".join(f"@{ts} {of_point}" for ts, of_point in enumerate(events))
    for formula in FURTHER_POLICIES:
        cep.monitor(formula, OF_POLICIES, log, end="closed")
    x, y = random.integers(0, 10**3, (2, MANY))
    many = pa.table({"event_type": pa.repeat("B", MANY), "ts": pa.array(np.arange(MANY)), "x": x, "y": y})
    for formula in POLICIES_ON_MANY_EVENTS:
        cep.monitor(formula, None, many, end="closed")
    cep.monitor(TRIANGLE, OF_POLICIES, HUB, end="closed")
    policies = (*FURTHER_POLICIES, *POLICIES_ON_MANY_EVENTS, TRIANGLE)
    return len(policies) + compile_declared("cep_core.monitoring.first_order")


def compile_monitoring_propositional() -> int:
    """Compile the kernels that monitor propositional policies and streams. Returns the number of policies."""
    lines = "".join(f"@{ts // 9} {'ab'[ts % 2]}\n" for ts in range(EVENTS))
    for formula in STREAMED_POLICIES:
        for mode in ("naive", "local"):
            cep.monitor_mtl(formula, lines, mode=mode)
            cep.monitor_mtl(formula, lines, mode=mode, resolved=True)
    points = made_up_log(NUMBERS)
    for text in FURTHER_PROPOSITIONAL:
        evaluator = bind_text(text, NUMBERS, "policy.mtl").evaluator()
        evaluator.merge(of_table(evaluator.evaluate(points)))
    policies = (*STREAMED_POLICIES, *FURTHER_PROPOSITIONAL)
    return len(policies) + compile_declared("cep_core.monitoring.propositional")


def compile_logs() -> int:
    """Read one small log in each of the three formats."""
    schema = parse_signature("A(int)")
    monpoly.read("@1 A(1);", schema)
    dejavu.read("A,1", schema)
    rv_csv.read("A, tp=0, ts=1, x=1", schema)
    return 3


def compile_reading() -> int:
    """Read a small file of each form, with values of every type, right and wrong. Returns the number of files."""
    columns = dict(zip("abcdef", ("BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP", "STRING"), strict=True))
    row = dict(zip("abcdef", ("1", "2.5", "true", "2024-01-01", "2024-01-01 10:00", "x"), strict=True))
    csv = "\n".join([",".join(row), ",".join(row.values()), '1,1e300,?,,,"x""y"', "?"])
    lines = "\n".join([json.dumps(row), json.dumps({"f": "\n"}), "?"])
    with tempfile.TemporaryDirectory() as folder:
        texts = {"x.csv": csv, "x.json": lines}
        forms: dict[str, FileForm] = {"x.csv": TextForm("csv", columns), "x.json": TextForm("json", columns)}
        for name, text in texts.items():
            Path(folder, name).write_text(text)
        pq.write_table(pa.table({name: [text] for name, text in row.items()}), Path(folder, "x.parquet"))
        for name, form in {**forms, "x.parquet": ParquetForm(columns)}.items():
            for part in survey_of(Path(folder, name), form, 1).ranges:
                list(rows_in(part, form))
    return len(forms) + 1


def compile_slicing() -> int:
    """Count a few numbers in a table of counters."""
    CloseNumbers(Room()).add(np.arange(2), np.zeros(2, np.int64), np.zeros(1, np.int64))
    return 1


def compile_declared(engine: str) -> int:
    """Evaluate the queries of all workloads that an engine takes. Returns their number."""
    evaluated = 0
    for evaluator, log in declared_queries():
        if type(evaluator).__module__.startswith(f"{engine}."):
            for table in evaluator.tables:
                if table.evaluate is not None:
                    table.merge(of_table(table.evaluate(log), table.suffix))
            evaluated += 1
    return evaluated


def declared_queries() -> Iterator[tuple[Evaluator, pa.Table]]:
    """The evaluator of every query of every workload that compiles, with a log of the workload's schema."""
    for folder in sorted(path.parent for path in places.workloads().glob("*/workload.yaml")):
        try:
            workload = load_workload(folder.name)
        except WorkloadError:
            continue  # `trendmill check` says what is wrong with it; set-up goes on without it
        compiled, _ = compile_questions(workload)
        log = made_up_log(workload.schema)
        for query in compiled.values():
            yield query.evaluator, log


# In this order two processes end at about the same time. The first takes as long as two of the five others.
ENGINES = (
    compile_trends,
    compile_monitoring_propositional,
    compile_possible_worlds,
    compile_shedding,
    compile_matching,
    compile_monitoring_first_order,
    compile_reading,
    compile_logs,
    compile_slicing,
)


def main() -> None:
    begun = time.perf_counter()
    forget_outdated()
    with ProcessPoolExecutor(min(len(ENGINES), os.cpu_count() or 1), initializer=quicken_compiler) as processes:
        begun_engines = [processes.submit(compile_engine) for compile_engine in ENGINES]
        evaluated = sum(engine.result() for engine in begun_engines)
    print(f"compiled by {evaluated} queries and logs in {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
