"""What is said of a day of a trend aggregation, from its results in order."""
