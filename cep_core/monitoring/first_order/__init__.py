"""The first-order monitor: satisfactions of a core formula as relations whose rows hold for runs of points.

`plan` decides in which order joins are made. `arrays` turns events into relations. `kernels` join, shift and merge
runs. `choice` says which kernel serves an operator. `result` forms the columns of the result and merges slices. `why`
proves verdicts. `evaluator` is the way in. `reference` is the definition that tests compare the engine with.
"""
