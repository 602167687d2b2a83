"""What the texts of both policy languages share: words, intervals, first lines, and errors of syntax."""
