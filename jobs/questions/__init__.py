"""Work on a question before it runs at night: cases with an answer that is known, and what an edit changes."""
