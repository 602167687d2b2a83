"""Confidence of listed matches: the orders in which their events may have come."""
