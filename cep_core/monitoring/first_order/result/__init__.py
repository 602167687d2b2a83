"""What a policy reports: violations as rows, merged over slices."""
