"""What a query's results of a day say, in sentences and rows."""
