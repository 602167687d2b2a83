"""Which matches of a day a page shows, and what it tells of each."""
