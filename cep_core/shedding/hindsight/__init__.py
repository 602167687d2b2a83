"""Hindsight: what a strategy could do if it knew the future of every partial match."""
