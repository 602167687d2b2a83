"""Matrix products that are made a few rows at a time."""

from __future__ import annotations

import numpy as np
import pytest

from cep_core.matrix_products import STEPS, VECTOR_STEPS, product


@pytest.mark.parametrize("columns", [1, 2, 20])
@pytest.mark.parametrize("rows", [0, 1, 300, 2000])
def test_a_product_in_pieces_is_the_product(rows: int, columns: int) -> None:
    inner = 190
    assert 2000 * inner > VECTOR_STEPS
    assert 2000 * inner * 20 > STEPS
    draw = np.random.default_rng(1)
    left, right = draw.integers(0, 9, (rows, inner)).astype(float), draw.integers(0, 9, (inner, columns)).astype(float)
    made = product(left, right)
    assert made.shape == (rows, columns)
    assert (made == np.einsum("ij,jk->ik", left, right)).all()
