"""Repeatable comparisons of CPU time, each against something that everybody has.

``python -m benchmarks`` runs all, ``python -m benchmarks NAME`` one. See docs/benchmarks.md.
"""
