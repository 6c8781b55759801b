"""Who may read and who may act: one secret for each server, and what is derived from it.

The secret stands in the address that is opened. The browser gets a cookie made of it, which every
request carries, and a page gets a second word, which every request that acts sends as a header:
another site can make a browser send the cookie, and can never read the word. Knows nothing of
HTTP.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import field

from fencerun.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Tokens:
    """``secret`` is what the printed address holds, ``tickets`` are good for one opening each."""

    secret: str
    tickets: set[str] = field(default_factory=set)

    @property
    def cookie_name(self) -> str:
        """Two servers seen as one host, on any ports, have two cookies."""
        return f"fencerun-{self._derived('name')[:12]}"

    @property
    def cookie(self) -> str:
        """What a browser that may read sends as its cookie."""
        return self._derived("read")

    @property
    def word(self) -> str:
        """What a request that acts sends besides."""
        return self._derived("act")

    def ticket(self) -> str:
        """A secret that opens once: other users see the command line that a browser is given."""
        made = secrets.token_urlsafe(24)
        self.tickets.add(made)
        return made

    def opens(self, given: str) -> bool:
        """Whether ``given`` is the secret or a ticket, which then is used."""
        if given in self.tickets:
            self.tickets.discard(given)
            return True
        return _same(given, self.secret)

    def reads(self, given: str) -> bool:
        """Whether ``given`` is the cookie."""
        return _same(given, self.cookie)

    def acts(self, given: str) -> bool:
        """Whether ``given`` is the word."""
        return _same(given, self.word)

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def fresh() -> Tokens:
    """The tokens of a new server."""
    return Tokens(secrets.token_urlsafe(24))


def _same(one: str, other: str) -> bool:
    # Not `==`: how long that takes tells how much of it was right.
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())
