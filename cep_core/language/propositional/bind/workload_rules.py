"""What a workload refuses, since its runs see a part of the log and its results are tables (`docs/semantics.md` 2).

Refused are operators that look ahead without an upper bound, since no run can decide them, and attributes of `for each`
that have the name of a column of the result's tables. Linear in the formula.
"""

from __future__ import annotations

from collections.abc import Sequence

from cep_core.language.temporal.bind.reporting import Faults
from cep_core.language.temporal.bind.result_names import OF_EXPLAINED_EPISODES, RESERVED
from cep_core.language.temporal.bind.sub_logs import place_of_for_each
from cep_core.language.temporal.formulas import Always, Eventually, Formula, Next, Release, Until
from cep_core.language.temporal.walk import walk


def check_workload(formula: Formula, for_each: Sequence[str], faults: Faults) -> None:
    """Report what a workload's policy must not say."""
    for part in walk(formula):
        if isinstance(part, Next | Eventually | Always | Until | Release) and not part.interval.is_bounded:
            word = type(part).__name__.upper()
            hint = f"give it one, such as {word}[{part.interval.low},1d]"
            faults.report(f"{word} looks ahead without an upper bound: no run can decide it", part.at, hint)
    for name in for_each:
        if name.casefold() in {*RESERVED, *OF_EXPLAINED_EPISODES}:
            at = place_of_for_each(faults.text)
            faults.report(f"the tables of the result have a column '{name.casefold()}'", at, "")
