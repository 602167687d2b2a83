"""How a workload's question will be evaluated, and what its author should know before it runs."""

from __future__ import annotations

import re
from pathlib import Path

from cep_core.compile import evaluator_of
from cep_core.language.errors import NotSupportedYet
from cep_core.language.explanation import Explanation
from cep_core.language.patterns import explaining
from cep_core.language.patterns.binding import bind
from cep_core.language.patterns.query import Query, Strategy
from jobs.workload.declaration import Workload

_TIES_MATTER = (Strategy.STRICT, Strategy.PARTITION, Strategy.NEXT)


def explain_question(workload: Workload, path: Path) -> Explanation:
    """A file's explanation. Raises QueryError for a wrong query; one that no engine evaluates yet is explained."""
    query = _bound(workload, path)
    settings = workload.settings(path.stem)
    try:
        algorithm = evaluator_of(query, max_matches=settings.max_matches, exact=settings.exact_counts).describe()
    except NotSupportedYet as refusal:
        algorithm = (str(refusal),)
    return explaining.explain_query(query, algorithm)


def warnings_of(workload: Workload, path: Path) -> list[str]:
    """What is legal and may surprise: the query's own warnings, and ties whose order is nobody's."""
    query = _bound(workload, path)
    warnings = explaining.warnings_of(query)
    unordered = [name for name, source in workload.sources.items() if not source.order]
    reading = [name for name in unordered if re.search(rf"(?i)\bfrom\s+{name}\b", workload.events_sql)]
    if query.strategy in _TIES_MATTER and reading:
        warnings.append(
            f"under {query.strategy.value} events of equal ts are taken in order; rows of {', '.join(reading)} "
            "that share one are ordered by a hash unless the source declares `order`"
        )
    return warnings


def _bound(workload: Workload, path: Path) -> Query:
    shown = path.relative_to(workload.folder).as_posix() if path.is_relative_to(workload.folder) else path.name
    return bind(path.read_text(encoding="utf-8"), workload.schema, shown, whole_log=False)
