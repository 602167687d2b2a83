"""Confidence of listed matches: it sums over the orders in which their events may have come."""
