"""The causes of a first-order policy's verdicts, by the proofs of `cep_core.monitoring.shared.why`."""
