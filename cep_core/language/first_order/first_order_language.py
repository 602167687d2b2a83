"""First-order policies as a language of the front door."""

from __future__ import annotations

from cep_core.language.first_order.bind.assumed_schema import schema_mentioned_by
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.explain.explaining import explain_policy
from cep_core.language.first_order.explain.surprises import warnings_of
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.language import Language


def _order_of_ties(policy: Policy) -> str:
    """Nothing: events of one time-point are a set, whatever the log says of equal times."""
    return ""


FIRST_ORDER = Language(
    "mfotl",
    ".mfotl",
    parse,
    schema_mentioned_by,
    bind_written,
    explain_policy,
    warnings_of,
    _order_of_ties,
    settings=("max_violations", "explained"),
    beside=("_episodes", "_why"),
)
