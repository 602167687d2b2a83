"""Load shedding: a log replayed through an operator that is too slow for it, and what each strategy loses (pSPICE)."""
