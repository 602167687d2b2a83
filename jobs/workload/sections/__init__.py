"""The sections of a workload folder, each read strictly."""
