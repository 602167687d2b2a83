"""From the truth of a policy at each point to the rows that are reported."""
