"""Fences as pytest's tests. Only ``items`` and ``plugin`` know pytest."""
