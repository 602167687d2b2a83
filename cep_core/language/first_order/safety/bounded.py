"""The future has a bound: EVENTUALLY, ALWAYS, UNTIL and RELEASE need an upper end, else nothing is ever decided."""

from __future__ import annotations

from collections.abc import Callable

from cep_core.language.first_order.safety.refusals import UnboundedFuture
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import Always, Eventually, Formula, Release, Until
from cep_core.language.temporal.walk import walk


def check_bounded(formula: Formula, text: str, path: str, shown: Callable[[Formula], str] = formula_text) -> None:
    """Raises UnboundedFuture for an operator that looks ahead without end. The formula may have sugar and LET.

    `shown` prints formulas in messages. NEXT has an end, the next time-point, whatever its interval.
    """
    for part in walk(formula):
        match part:
            case Eventually() | Always() | Until() | Release() if not part.interval.is_bounded:
                word = type(part).__name__.upper()
                low = part.interval.low
                raise UnboundedFuture(
                    f"{shown(part)} is unsafe: {word} looks ahead without an upper bound",
                    part.at,
                    text=text,
                    path=path,
                    hint=f"give it one, such as {word}[{low},{low + 10}]",
                )
