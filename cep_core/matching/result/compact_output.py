"""The output of compact rows: one row for all matches that end at one event, with their exact number.

Cost: if matches are counted before they are listed, twice the counting (`match_nodes`); otherwise the listing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.totals import Total
from cep_core.matching.result.compact_rows import NO_ROWS, CompactRows, compact_columns, gathered
from cep_core.matching.result.match_answers import CountedAnswers, JudgedAnswers
from cep_core.matching.result.match_output import MatchOutput
from cep_core.matching.result.match_rows import IN_ORDER, batch_of
from cep_core.matching.result.tally import ListingTally
from cep_core.numbers.count_columns import COUNTS, count_columns


class CompactOutput(MatchOutput):
    """One row for each last event, with its number of matches."""

    collapsed = True

    def batches(self, answers: CountedAnswers | JudgedAnswers, *, whole: bool = False) -> Iterator[pa.RecordBatch]:
        spending = self.account(answers)
        one_each = bool((np.diff(answers.group[answers.answer_of_row]) > 0).all())  # no two rows share a last event
        joins = not (whole and one_each and answers.judge.plan.is_certain_at_last)  # nor has another stretch that event
        if isinstance(answers, CountedAnswers):
            totals = [Total(count) for count in answers.totals()]
            yield from self._rows(answers, _pieces(answers), *answers.compact_counts(), joins)
        else:
            tally, rows = ListingTally(answers, None), NO_ROWS
            for paths, _ in answers.judged(tally, spending):
                rows += gathered(answers, paths)
            totals = tally.totals()
            yield from self._rows(answers, (rows,), counts_of(answers, rows, tally), {}, joins)
        listed = {IN_ORDER: b"true"} if one_each else {}
        yield self.last_batch(answers.days, totals, {**spending.metadata(), **listed})

    def _rows(
        self,
        answers: CountedAnswers | JudgedAnswers,
        pieces: Iterable[CompactRows],
        counts: Ints,
        large: Mapping[int, int],
        joins: bool,
    ) -> Iterator[pa.RecordBatch]:
        """The batches of compact rows; `counts` and `large`: the number of matches of each row, by its place."""
        begin = 0
        for batch in chain.from_iterable(rows.batches() for rows in pieces):
            end = begin + len(batch.paths)
            beyond = {place - begin: count for place, count in large.items() if begin <= place < end}
            number = dict(zip(COUNTS, count_columns(counts[begin:end], beyond), strict=True))
            yield batch_of({**compact_columns(answers, batch, joins=joins), **number}, self.partial)
            begin = end


def _pieces(answers: CountedAnswers) -> Iterator[CompactRows]:
    """The compact rows of all answers, some at a time; all at once if several answers may be of one row."""
    nodes = answers.node_pieces() if answers.has_own_rows else (answers.nodes(),)
    return (gathered(answers, piece) for piece in nodes)


def counts_of(answers: JudgedAnswers, rows: CompactRows, tally: ListingTally) -> Ints:
    """The number of matches of each compact row that has matches."""
    by_row = np.zeros(len(tally.counts), np.int64)
    np.add.at(by_row, answers.compact_row, tally.counts)
    return by_row[rows.paths.jobs]
