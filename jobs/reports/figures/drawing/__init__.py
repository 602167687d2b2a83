"""What every figure shares: its frame, colours and axes."""
