"""Trend aggregation (GRETA): counts, sums and extremes over all trends of a group and window, without listing them.

`plan` works out what a bound query needs, and refuses what no kernel evaluates. `arrays` turns candidate events into
arrays. `choice` chooses a kernel for each partition by its cost, and `kernels` count. Totals that do not fit a machine
word are counted again by `choice/exact.py`, in integers of any size. `result` merges the totals of all slices and forms
the columns of the result. `evaluator` is the way in. `reference` is the definition that tests compare the engine with.
"""
