"""The targets by name, and the inputs that are kept for each. Knows nothing of what they check."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

TARGETS = ("reader", "splicer", "tagger", "agreement", "decoder")

Check = Callable[[bytes], None]


def load(name: str) -> Check:
    """The check of a target: it raises where an invariant does not hold."""
    check: Check = import_module(f"{__package__}.{name}").check
    return check


def kept(name: str) -> list[Path]:
    """The inputs of a target's corpus, found by atheris or by hand."""
    return sorted((CORPUS / name).iterdir())
