"""The slices of a run: their files, small ones that are evaluated together, and what each of them gives."""
