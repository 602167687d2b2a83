"""What the engines read: points and the truth of atoms at them."""
