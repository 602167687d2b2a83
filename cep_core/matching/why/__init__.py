"""Why a binding is a match, and why it is none."""
