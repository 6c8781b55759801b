"""Bytes in, invariants out: the same checks under Hypothesis in CI and under atheris by hand.

Each target is a module with ``check(data)``, which raises where an invariant does not hold.
``python -m tests.fuzz NAME`` runs one; docs/faults.md says how.
"""
