"""The table of kernels: the evaluator walks it, `explain` reads it, and its examples reach every kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from cep_core.events.schema import Ties
from cep_core.language.patterns.bind.binding import bind
from cep_core.trends.arrays.ranges import Numbers
from cep_core.trends.choice import table
from cep_core.trends.choice.case import Case
from cep_core.trends.choice.examples import Example
from cep_core.trends.choice.table import KERNELS, Kernel
from cep_core.trends.evaluator import TrendEvaluator
from tests.trends.random_logs import logs, schema_of
from tests.trends.random_queries import queries

EXAMPLES = [(kernel, example) for kernel in KERNELS for example in kernel.examples]
IDS = [f"{kernel.name} {number}" for kernel in KERNELS for number in range(len(kernel.examples))]


def evaluated(text: str, log: pa.Table, patch: pytest.MonkeyPatch) -> list[tuple[str, Case]]:
    """The kernels that count something, each with its case. With gaps between windows an event may be in none."""
    counted: list[tuple[str, Case]] = []

    def noted(kernel: Kernel) -> Kernel:
        def count(case: Case, ranges: np.ndarray, numbers: Numbers) -> None:
            if len(case.partition):
                counted.append((kernel.name, case))
            kernel.count(case, ranges, numbers)

        return replace(kernel, count=count)

    patch.setattr(table, "KERNELS", tuple(map(noted, KERNELS)))
    evaluator = TrendEvaluator(bind(text, schema_of(log, Ties.CONCURRENT)))
    evaluator.merge(evaluator.evaluate(log))
    return counted


def with_seq(log: pa.Table) -> pa.Table:
    return log.append_column("seq", pa.array(np.arange(log.num_rows)))


@pytest.mark.parametrize(("kernel", "example"), EXAMPLES, ids=IDS)
def test_every_kernel_is_reached_by_its_examples(
    kernel: Kernel, example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling the examples therefore compiles all kernels."""
    counted = evaluated(example.query, with_seq(example.log()), monkeypatch)
    assert {name for name, _ in counted} == {kernel.name}


@settings(max_examples=60, deadline=None)
@given(queries(), logs())
def test_the_first_of_the_cheapest_that_apply_counts(text: str, log: pa.Table) -> None:
    """This holds for each partition. A kernel must serve the plan, so `explain` names every kernel that counts."""
    with pytest.MonkeyPatch.context() as patch:
        counted = evaluated(text, log, patch)
    for name, case in counted:
        costs = table.costs_of(case)
        busy = np.unique(case.partition)
        cheapest = {next(k for k in range(len(KERNELS)) if costs[k, p] == costs[:, p].min()) for p in busy}
        number = next(k for k, kernel in enumerate(KERNELS) if kernel.name == name)
        assert number in cheapest
        assert KERNELS[number].serves(case.plan)
        assert KERNELS[number].fits(case)


def test_names_are_unique_and_the_last_kernel_always_applies() -> None:
    assert len({kernel.name for kernel in KERNELS}) == len(KERNELS)
    assert KERNELS[-1].serves(None)  # type: ignore[arg-type]
    assert KERNELS[-1].fits(None)  # type: ignore[arg-type]
