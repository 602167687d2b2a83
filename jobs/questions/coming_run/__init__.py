"""What a run would do, before it is started: days, why each, how much it reads, and how long that may take."""
