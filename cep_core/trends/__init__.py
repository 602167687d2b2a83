"""Trend aggregation (GRETA): counts, sums and extremes over all trends of a group and window, none of them listed.

`plan` says what a bound query needs, `negation` what its pattern forbids where; `aggregation` turns candidates into
arrays (`graph`, `weights`, `extremes`, `ranks`, `cuts`, `windows`) and has them counted, by `uncompared` or `compared`,
which choose a kernel (`window_sums`, `meeting_points`, `ranked`, `ring` ...), and beyond machine words by `exact`;
`partials` merges what slices found, in `integers` of any size; `results` forms the columns of `layout` (`numbers`).
`evaluator` is the way in, `description` what `explain` shows, `reference` the definition that tests hold it against.
"""
