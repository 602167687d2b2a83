"""Cases of a workload: a few given events, and what a query or a policy must answer to them."""
