"""The output of listed matches: one row for each match, the first `max_matches` of each day. Cost: input and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from cep_core.language.totals import Total, parts
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.result.match_answers import CountedAnswers, JudgedAnswers
from cep_core.matching.result.match_columns import match_columns
from cep_core.matching.result.match_output import MatchOutput
from cep_core.matching.result.match_rows import IN_ORDER, batch_of
from cep_core.matching.result.merging import result_metadata
from cep_core.matching.result.tally import ListingTally


class ListedOutput(MatchOutput):
    """One row for each match."""

    collapsed = False

    def batches(self, answers: CountedAnswers | JudgedAnswers, *, whole: bool = False) -> Iterator[pa.RecordBatch]:
        spending = self.account(answers)
        listed = {IN_ORDER: b"true"} if answers.is_listed_in_order else {}
        if isinstance(answers, CountedAnswers):
            totals = [Total(count) for count in answers.totals()]
            most = answers.quotas(self.max_matches)
            if self.max_matches is None:
                spending.pay_for_all(most)
            for columns in answers.columns(most):
                yield batch_of(columns, self.partial)
        else:
            tally = ListingTally(answers, self.max_matches)
            for paths, columns in answers.judged(tally, spending):
                if len(paths):
                    yield self.rows(answers, paths, columns)
            totals = tally.totals()
        yield self.last_batch(answers.days, totals, {**spending.metadata(), **listed})

    def at_once(self, answers: CountedAnswers | JudgedAnswers) -> pa.Table | None:
        """Matches that are listed in the order of results need no columns by which rows are ordered."""
        all_listed = self.max_matches is None and self.budget.limit is None
        if not (all_listed and isinstance(answers, CountedAnswers) and answers.is_listed_in_order):
            return None
        totals = dict(zip(parts(answers.days), map(Total, answers.totals()), strict=True))
        batches = [batch_of(columns, self.schema) for columns in answers.columns(answers.quotas(None))]
        metadata = result_metadata(totals, truncated=False)
        return pa.Table.from_batches(batches, self.schema).replace_schema_metadata(metadata)

    def rows(self, answers: JudgedAnswers, paths: Paths, columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
        """Matches as partial rows; `columns`: the additional columns of the answers."""
        return batch_of({**match_columns(answers, paths), **columns}, self.partial)
