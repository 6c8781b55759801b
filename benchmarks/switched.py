"""Importing this installs the switches: it is what the process that forks the workers preloads."""

from __future__ import annotations

from benchmarks import switches

switches.install()
