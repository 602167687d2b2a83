"""The logs for `matching.py`: generated ones, and public ones if they lie beside the repository."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa

from cep_core.events.table import order

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def abc(events: int, relevant: float, *, b_share: float = 0.78, seed: int = 7) -> pa.Table:
    """Events one unit apart. Of the relevant ones a share `b_share` is B; the others are A and C in equal parts."""
    rng = np.random.default_rng(seed)
    rest = (1 - b_share) / 2
    shares = np.array([rest, b_share, rest]) * relevant
    kinds = rng.choice(np.array(["A", "B", "C", "X"]), events, p=[*shares, 1 - relevant])
    return order(
        pa.table(
            {
                "event_type": kinds,
                "ts": np.arange(events),
                "x": rng.integers(0, 1000, events),
                "k": rng.integers(0, 4, events),
            }
        )
    )


def chain(events: int, length: int) -> pa.Table:
    """Events one unit apart, of the types A1 to A<length> in random order."""
    rng = np.random.default_rng(9)
    kinds = rng.choice(np.array([f"A{k + 1}" for k in range(length)]), events)
    return order(pa.table({"event_type": kinds, "ts": np.arange(events), "x": rng.integers(0, 1000, events)}))


def hadoop(tasks: int, seed: int = 3) -> pa.Table:
    """Jobs of mappers and reducers, with data pulls, data in queues and loads of the cluster between them.

    It is shaped like SASE++'s case study, with 20 tasks for each job. Every event has its job and task.
    """
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, int, int, int, int]] = []

    def add(kind: str, ts: float, job: int, task: int, value: float) -> None:
        rows.append((kind, int(ts), job, task, int(value)))

    for task in range(tasks):
        job, begin = task // 20, (task // 20) * 240 + rng.integers(0, 60)
        if task % 20 == 0:
            add("JobStart", (task // 20) * 240, job, task, 0)
            add("JobEnd", (task // 20) * 240 + 600, job, task, 0)
        kind = "Mapper" if task % 20 < 14 else "Reducer"
        span = 1 + rng.exponential(60)
        add(kind, begin + span, job, task, span)
        if kind == "Mapper":
            add("DataIO", begin + span, job, job * 20, rng.integers(1, 500))
            continue
        add("DataIO", begin + span + 1, job, job * 20, -rng.integers(1, 500))
        add("Balance", begin - 2, job, task, 0)
        add("ReducerStart", begin - 1, job, task, 0)
        for moment in np.sort(rng.uniform(begin, begin + span, 8)):
            add(str(rng.choice(["DataPull", "LoadStd", "Imbalance"])), moment, job, task, rng.exponential(20))
        add("ReducerEnd", begin + span + 1, job, task, 0)
        add("Balance", begin + span + 2, job, task, 0)
    names = ("event_type", "ts", "job_id", "task_id", "val")
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    return order(table.append_column("period", table["val"]).append_column("size", table["val"]))


def nasdaq() -> pa.Table | None:
    """The trades of one day: BUY and SELL with symbol, price and milliseconds."""
    path = DATA / "nasdaq_2004" / "stock_data.csv.gz"
    if not path.exists():
        return None
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    return order(
        pa.table(
            {
                "event_type": [row["event_type"] for row in rows],
                "ts": [int(row["stock_time"]) for row in rows],
                "name": [row["name"] for row in rows],
                "price": [float(row["price"]) for row in rows],
            }
        )
    )


def cluster() -> pa.Table | None:
    """Task events of a compute cluster; the clock is their order."""
    path = DATA / "google_cluster_2011" / "query2b.csv.gz"
    if not path.exists():
        return None
    kinds = dict(enumerate(("Submit", "Schedule", "Evict", "Fail", "Finish", "Kill", "Lost", "Update", "Update")))
    with gzip.open(path, "rt") as file:
        rows = [line.rstrip("\n").split(",") for line in file][1:]
    return order(
        pa.table(
            {
                "event_type": [kinds[int(row[4])] for row in rows],
                "ts": range(len(rows)),
                "job": [int(row[1]) for row in rows],
                "task": [int(row[2]) for row in rows],
            }
        )
    )


def containers() -> pa.Table | None:
    """Log lines of Hadoop containers: E<template>, one unit apart in each container."""
    path = DATA / "hdfs_hadoop_sequences" / "hadoop_test_abnormal.gz"
    if not path.exists():
        return None
    kinds: list[str] = []
    clock: list[int] = []
    owner: list[str] = []
    with gzip.open(path, "rt") as file:
        for line in file:
            name, _, templates = line.rstrip("\n").partition(",")
            types = templates.split()
            kinds += [f"E{kind}" for kind in types]
            clock += range(len(types))
            owner += [name] * len(types)
    return order(pa.table({"event_type": kinds, "ts": clock, "container": owner}))
