"""Questions about a lake in SQL: what may be asked, and the names of what is asked for."""
