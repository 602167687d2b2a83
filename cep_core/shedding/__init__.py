"""Load shedding: a log replayed by an operator that is too slow for it, and the loss of each strategy (pSPICE)."""
