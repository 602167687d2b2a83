"""Whether a lake holds rows that its erasures leave out. Cost: a read of the rules' columns, and a hash for each
different value of them in a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable

from jobs.erasure.rules import BEGUN, read_erasures, suppression_of
from jobs.exits import WrongWorkload
from jobs.lake.dataset import dataset_of, read_table
from jobs.tasks.forgetting.touched import EVENTS, QUARANTINE


def returned_rows(workload: str, lake: Path) -> Iterator[tuple[str, str]]:
    """Tables with such rows, each with a sentence; and what is unfinished, or cannot be known."""
    for erasure in read_erasures(lake, workload):
        if erasure.state == BEGUN:
            yield "erasures", f"{erasure.name} is begun and not finished: `trendmill forget` with the same --where"
    try:
        suppression = suppression_of(lake, workload)
    except WrongWorkload as error:
        yield "erasures", str(error)
        return
    if suppression is None:
        return
    home = lake / workload
    of_events: Counter[date] = Counter()
    dataset = dataset_of(DeltaTable(home / EVENTS), home / EVENTS)
    columns = {name for rule in suppression.rules for name in rule.columns}.intersection(dataset.schema.names)
    for batch in dataset.to_batches(columns=["day", *sorted(columns)]):
        rows = pa.Table.from_batches([batch])
        of_events.update(rows.filter(pa.array(suppression.events(rows)))["day"].to_pylist())
    refused = read_table(home / QUARANTINE, ["day", "raw"])
    of_refused: Counter[date] = Counter()
    if refused is not None:
        of_refused.update(refused.filter(pa.array(suppression.texts(refused["raw"])))["day"].to_pylist())
    for table, days in ((EVENTS, of_events), (QUARANTINE, of_refused)):
        for day, number in sorted(days.items()):
            yield table, f"{number:,} rows of {day} were forgotten and are there: forget them again"
