"""Why a policy is kept or violated at a point of a log that is in memory."""
