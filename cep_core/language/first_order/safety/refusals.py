"""Refusals of formulas that cannot be monitored: which part, which rule it breaks, and what would do."""

from __future__ import annotations

from cep_core.language.errors import QueryError


class UnsafeFormula(QueryError):
    """A formula whose satisfactions may be infinitely many, or cannot be computed operand by operand."""


class UnboundedFuture(UnsafeFormula):
    """A formula that looks ahead without an upper bound: no verdict would ever be certain."""
