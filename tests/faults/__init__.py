"""Faults of other tools that ours must not have, and faults of the world around it."""
