"""How the texts of logs are read: places of events and values in bytes, then columns, block by block."""
