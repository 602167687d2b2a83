"""The Arrow contract of a log: columns, units, order."""
