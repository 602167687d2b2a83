"""Aggregates, one in each file: its types, and how it is carried, added, merged, returned, printed and reported.

`aggregate` has the base class, `registry` the list of all aggregates. To add one, write its file and add it to the
list. The grammar, the binding of names and types, both engines, `explain` and the reports read the list.
"""
