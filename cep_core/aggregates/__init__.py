"""Aggregates, one in each file: what its name takes, carries, adds up, merges, returns, prints and reports.

`aggregate` says what an aggregate answers, `registry` lists all of them. To add one, write its file and add it to the
list: the grammar, the binding of names and types, both engines, `explain` and the reports read the list.
"""
