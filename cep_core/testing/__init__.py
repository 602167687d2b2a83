"""For tests of policies, here and in projects that use Trendmill: small logs, Hypothesis strategies (`[testing]`)."""
