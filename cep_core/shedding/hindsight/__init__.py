"""Hindsight: what a strategy would do that knew what becomes of every partial match."""
