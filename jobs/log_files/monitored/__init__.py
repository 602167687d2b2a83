"""What `trendmill monitor` reads and prints: logs as texts and as tables, verdicts, causes."""
