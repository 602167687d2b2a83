"""Rows as aligned text, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

WIDEST = 40
_WHOLE, _LARGE = 1e15, 1e5
"""Whole floats below the first have all their digits: they may be identifiers. From the second on, six are too few."""


def text_table(
    names: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    right: Sequence[bool] | None = None,
    widest: int | None = WIDEST,
) -> str:
    """Columns as wide as their widest value, numbers to the right. An absent value is blank.

    `right` names the columns that stand to the right. Values longer than `widest` are cut (None: never).

    >>> print(text_table(["carrier", "n"], [["B6", 87], ["9E", None]]))
    carrier   n
    B6       87
    9E
    """
    texts = [[_shown(value, widest) for value in row] for row in rows]
    widths = [max(len(name), *(len(row[i]) for row in texts), 0) for i, name in enumerate(names)]
    numeric = right or [all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(names))]

    def line(cells: Sequence[str]) -> str:
        placed = (
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(cells, widths, numeric, strict=True)
        )
        return "  ".join(placed).rstrip()

    return "\n".join(line(cells) for cells in [list(names), *texts])


def _shown(value: object, widest: int | None) -> str:
    if value is None:
        return ""
    text = _number(value) if isinstance(value, float) else str(value)
    return text if widest is None or len(text) <= widest else text[: widest - 1] + "…"


def _number(value: float) -> str:
    """A float in few digits, but a whole one in all: two identifiers never look like one.

    >>> _number(3407946425.0), _number(1234567.891), _number(2 / 3), _number(1e30)
    ('3407946425', '1234567.891', '0.666667', '1e+30')
    """
    if value.is_integer() and abs(value) < _WHOLE:
        return f"{value:.0f}"
    return f"{value:.6g}" if abs(value) < _LARGE else f"{value:.10g}"
