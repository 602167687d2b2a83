"""In which order conjunctions are evaluated, and by which kernels."""
