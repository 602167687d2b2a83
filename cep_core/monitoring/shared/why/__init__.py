"""Why a verdict holds: its proof tree, and a checker of proofs (`docs/policies.md`, Causes)."""
