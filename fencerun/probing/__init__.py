"""Asking this machine what it has: the edge on the other side of ``capabilities``."""

from fencerun.probing.prober import Prober

__all__ = ["Prober"]
