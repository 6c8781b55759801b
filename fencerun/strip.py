"""`fencerun record --strip`: every recording off a page, nothing else. Pure."""

from __future__ import annotations

from fencerun.page import Page
from fencerun.splice import splice


def strip(page: Page) -> bytes:
    """The bytes of ``page`` without any recording. Raises SpliceError, and then nothing changed."""
    return splice(page, {recording.number: None for recording in page.recordings})
