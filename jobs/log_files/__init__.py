"""A log in one file: read, evaluated and printed in this process. Needs the engine alone, no Spark and no lake."""
