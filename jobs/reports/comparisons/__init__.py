"""What the comparisons of strategies say."""
