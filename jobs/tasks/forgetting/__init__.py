"""Erasure: the rows of a person or thing leave every table of a lake, and its reports, and do not come back."""
