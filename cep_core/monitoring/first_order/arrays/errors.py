"""Errors that no check of a policy's text can foresee: a sum that no int64 holds, a division by zero."""

from __future__ import annotations

from collections.abc import Mapping

from cep_core.language.errors import Position, QueryError


class EvaluationError(QueryError):
    """A term or an aggregation that has no value on this log: its place, and the stamp and values that show why.

    >>> print(EvaluationError("7 / 0 is a division by zero", Position(1, 10, 5), 1200, {"x": 7, "y": 0}))
    <query>:1:10: 7 / 0 is a division by zero, at @1200 with x = 7, y = 0
    """

    def __init__(
        self,
        problem: str,
        at: Position,
        stamp: int,
        values: Mapping[str, int | float | str],
        *,
        text: str = "",
        path: str = "<query>",
    ) -> None:
        shown = ", ".join(
            f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}" for name, value in values.items()
        )
        super().__init__(f"{problem}, at @{stamp}{f' with {shown}' if shown else ''}", at, text=text, path=path)
        self.problem = problem
        self.stamp = stamp
        self.values = dict(values)

    def of_text(self, text: str, path: str) -> EvaluationError:
        """The same error with the policy's text, so that it shows the line."""
        return EvaluationError(self.problem, self.at, self.stamp, self.values, text=text, path=path)
