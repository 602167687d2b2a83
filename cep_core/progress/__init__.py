"""Long calls tell how far they are: ranges of a log one after another, and a meter that shows what is done."""
