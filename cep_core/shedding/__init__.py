"""Load shedding: replays a log through an operator that is too slow for it, and tells what each strategy loses (pSPICE)."""
