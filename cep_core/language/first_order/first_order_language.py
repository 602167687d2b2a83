"""First-order policies as a language of the front door.

Events of one time-point are a set, so the order of ties never matters.
"""

from __future__ import annotations

from cep_core.language.first_order.bind.assumed_schema import schema_mentioned_by
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.explain.explaining import explain_policy
from cep_core.language.first_order.explain.surprises import warnings_of
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.language import Language
from cep_core.language.temporal.text.printing import intervals_without_unit

FIRST_ORDER = Language(
    "mfotl",
    ".mfotl",
    parse,
    schema_mentioned_by,
    bind_written,
    explain_policy,
    warnings_of,
    intervals_without_unit,
    settings=("max_violations", "explained"),
    beside=("_judged", "_episodes", "_why"),
)
