"""What the monitors of both policy languages share. Nothing in here knows how an engine evaluates.

`decided` tells which points of a growing log are decided, `sub_logs` splits a log for `-- for each`. `listing` cuts the
violations of a day and merges slices; `episodes` does the same with runs of violating points; `causes` with proofs.
Engines give them arrays or Arrow tables. `why` has proof trees over the temporal formulas of both languages, their
maker, their checker, and their text; `scalars` says what terms mean for single values. A propositional formula is a
first-order one without variables, so all of these serve it as they are.
"""
