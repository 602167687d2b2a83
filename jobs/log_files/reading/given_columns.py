"""A column by the name that a person gives it, as the file has it or as queries say it."""

from __future__ import annotations

import pyarrow as pa

from cep_core.events.frame_columns import sayable
from jobs.exits import WrongWorkload
from jobs.workload.files.problems import nearest


def given_column(table: pa.Table, name: str) -> str:
    """A column by its name, as the file has it too. Else WrongWorkload, which names the nearest column."""
    if name not in table.column_names and sayable(name) in table.column_names:
        return sayable(name)
    if name not in table.column_names:
        raise WrongWorkload(f"no column '{name}'; {nearest(name, table.column_names)}")
    return name
