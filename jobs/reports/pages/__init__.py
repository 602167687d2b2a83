"""The pages of a day's report, one module each: `page(report)` says what is on it, its template how it looks."""
