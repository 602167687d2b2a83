"""Propositional policies as a language of the front door.

Events of one time-point are a set, so the order of ties never matters.
"""

from __future__ import annotations

from cep_core.language.language import Language
from cep_core.language.propositional.bind.assumed_schema import schema_mentioned_by
from cep_core.language.propositional.bind.binding import bind_written
from cep_core.language.propositional.explain.explaining import explain_policy
from cep_core.language.propositional.explain.surprises import warnings_of
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.propositional.text.parsing import parse
from cep_core.language.temporal.text.printing import intervals_without_unit


def _conditions(policy: PropositionalPolicy) -> tuple[str, ...]:
    return tuple(name for name in policy.atoms if name in policy.schema.conditions)


PROPOSITIONAL = Language(
    "mtl",
    ".mtl",
    parse,
    schema_mentioned_by,
    bind_written,
    explain_policy,
    warnings_of,
    intervals_without_unit,
    conditions=_conditions,
    settings=("max_violations", "explained"),
    beside=("_judged", "_episodes", "_why", "_truths"),
)
