"""Events of rows about which Spark need not be asked: events.sql only picks, renames and compares their columns.

The rows about which it is asked, of any source, are kept for it.
"""
