"""Numbers, moments and values as a reader meets them."""
