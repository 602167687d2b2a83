"""The section `alerts` of workload.yaml: what people are told, and where."""
