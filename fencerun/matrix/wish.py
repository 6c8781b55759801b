"""What an environment of a matrix is to hold, and what it is called. Pure."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Sequence

from fencerun.errors import UsageError
from fencerun.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Wish:
    """One environment: its ``label``, as it was asked for, and its requirements.

    ``common`` are those that every environment of the matrix gets.
    """

    label: str
    requirements: tuple[str, ...]
    common: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its directory: readable, and another one for each label."""
        words = re.sub(r"[^A-Za-z0-9.+]+", "-", self.label.replace("==", "-")).strip("-.")
        return f"{words[:60]}-{hashlib.sha256(self.label.encode()).hexdigest()[:6]}"


def wishes(specs: Sequence[str], common: Sequence[str] = ()) -> tuple[Wish, ...]:
    """The environments that ``specs`` ask for, each once; a word may hold several requirements.

    Raises UsageError for a word that holds none, or an option.
    """
    shared = tuple(word for spec in common for word in _words("--with ", spec))
    found = (Wish(" ".join(words), words, shared) for words in (_words("", one) for one in specs))
    return tuple(dict.fromkeys(found))


def _words(where: str, spec: str) -> tuple[str, ...]:
    try:
        # `name @ url` is one requirement, and pip takes it without the blanks.
        words = shlex.split(re.sub(r"\s+@\s+", "@", spec.strip()))
    except ValueError as error:
        raise UsageError(f"{where}{spec!r}: {error}", "write 'torch==2.13.0', say") from None
    if not words:
        raise UsageError(f"{where}{spec!r} names no package", "write 'torch==2.13.0', say")
    for word in words:
        if word.startswith("-"):
            raise UsageError(f"{where}{spec!r}: {word} is no package", "give it as --pip-args")
    return tuple(words)
