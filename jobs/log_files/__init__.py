"""A log in one file: read, evaluated and printed in this process. It needs the engine, but no Spark and no lake."""
