"""The output of supersets: compact rows without a listing, for queries whose conditions are judged on listed matches.

A row has every event of the bindings that pass all other conditions. It may have events that no match binds, and there
may be a row without any match. The number of matches is unknown. Cost: that of `match_answers.JudgedAnswers.nodes`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from cep_core.language.totals import Total, parts
from cep_core.matching.result.compact_rows import compact_columns, gathered
from cep_core.matching.result.match_answers import CountedAnswers, JudgedAnswers
from cep_core.matching.result.match_output import MatchOutput
from cep_core.matching.result.match_rows import batch_of
from cep_core.numbers.count_columns import COUNTS, unknown_counts


class SupersetOutput(MatchOutput):
    """One row for each event that may end a match, without a number of matches."""

    collapsed = True

    def batches(self, answers: CountedAnswers | JudgedAnswers, *, whole: bool = False) -> Iterator[pa.RecordBatch]:
        work = self.account(answers).metadata()
        for rows in gathered(answers, answers.nodes()).batches():
            number = dict(zip(COUNTS, unknown_counts(len(rows.paths)), strict=True))
            yield batch_of({**compact_columns(answers, rows), **number}, self.partial)
        unknown = [Total(0, exact=False) for _ in parts(answers.days)]
        yield self.last_batch(answers.days, unknown, work)
