"""Candidates: which events may stand for which variable, computed over columns."""
