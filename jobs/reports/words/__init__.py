"""Numbers, times and values as reports write them."""
