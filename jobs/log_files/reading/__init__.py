"""Files of a log, read into columns: any number of them, in any of the forms, with what was left out counted."""
