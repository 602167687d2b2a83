"""A term without a value is told the same, whoever evaluates the slice: file, line, moment and values."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

import pytest

from cep_core.language.errors import QueryError
from jobs.exits import exit_code
from jobs.stages.evaluate import evaluate
from jobs.stages.evaluating.partials import Way
from jobs.tasks.nightly import slice_, stale_scope
from tests.runs.lake.lakes import SmallLake
from tests.scales import at

pytestmark = pytest.mark.spark

UNDEFINED = """-- Which load is a share of nothing?
Start(m, x) AND 100 / (x - x) > 1
"""


def test_every_way_tells_the_same_error(copied: SmallLake) -> None:
    """Nothing is written. Which slice tells first depends on the order in which Spark brings their rows."""
    (copied.home / "policies" / "undefined.mfotl").write_text(UNDEFINED)
    before = copied.tables()
    with copied.leased("run-2"):
        with at(copied.spark, "large"):  # else Spark does not learn the name of the slices' table
            run = copied.begin(1, 2, "run-2")
            run = replace(run, scope=stale_scope(run), loads=())
            slice_(run)
        errors = {}
        for way in get_args(Way):
            with pytest.raises(QueryError, match="division by zero") as raised:
                evaluate(run, way=way)
            errors[way] = str(raised.value), exit_code(raised.value)
    text, code = errors["here"]
    assert "undefined.mfotl:2:17: 100 / 0 is a division by zero, at @" in text
    assert text.endswith("^^^^^^^^^^^^^")
    assert code == 2
    assert errors["paths"] == (text, code)
    values = re.compile(r", at @.*")
    assert {(values.sub("", said), ended) for said, ended in errors.values()} == {(values.sub("", text), code)}
    assert copied.tables() == before
