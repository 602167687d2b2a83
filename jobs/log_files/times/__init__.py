"""When a log's events happened: which columns tell it, in which form and unit, and what their times look like."""
