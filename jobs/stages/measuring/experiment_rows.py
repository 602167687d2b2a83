"""Rows of the table `experiments`: what was measured, on which day, by which run, in which experiment."""

from __future__ import annotations

from datetime import date

import pyarrow as pa

from cep_core.experiments.measurement import SCHEMA as MEASURED

SCHEMA = pa.schema([("day", pa.date32()), ("run_id", pa.string()), ("experiment", pa.string()), *MEASURED])
"""The columns of `experiments`."""


def recorded(measured: pa.Table, day: date, run_id: str, experiment: str) -> pa.Table:
    """What an experiment measured, in the columns of `experiments`."""
    constant = {"day": day, "run_id": run_id, "experiment": experiment}
    columns = {
        field.name: pa.repeat(pa.scalar(constant[field.name], field.type), measured.num_rows)
        if field.name in constant
        else measured[field.name]
        for field in SCHEMA
    }
    return pa.table(columns, SCHEMA)
