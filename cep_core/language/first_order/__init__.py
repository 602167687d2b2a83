"""First-order policies (`.mfotl`): MonPoly's texts and signatures, their binding, rewriting and safety (paper 01)."""
