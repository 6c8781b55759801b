"""Engines: the ways to run chains of fences, behind one Protocol (``base``)."""
