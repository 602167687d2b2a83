"""What binding in both policy languages shares: intervals in the log's unit, and the faults found."""
