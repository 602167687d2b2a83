"""A parsed query bound to a log's schema: names, types, kinds of conditions."""
