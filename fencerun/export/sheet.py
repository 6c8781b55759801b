"""A page as one HTML file: its style sheet and images are in it, and it loads nothing.

Reads no file itself. There is no script in it, and its policy forbids any.
"""

from __future__ import annotations

import base64
import posixpath
from collections.abc import Callable
from html import escape
from urllib.parse import unquote

from fencerun import rendering
from fencerun.page import Page
from fencerun.patterns import later
from fencerun.rendering import pictures

#: Gives the bytes of a file beside the page, None where there is none.
Read = Callable[[str], bytes | None]

_LANGUAGE = later(
    r"---[ \t]*\r?\n(?:(?!---|\.\.\.).*\r?\n)*?"
    r"""lang(?:uage)?:[ \t]*["']?([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*)"""
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: https: http:; media-src *"


def sheet(page: Page, read: Read, mark: str) -> str:
    """The file's text. ``mark`` is a line that says where it comes from."""
    rendered = rendering.render(
        page,
        image=lambda address: inlined(address, read),
        size=lambda address: pictures.size(_picture(address, read) or b""),
    )
    title = rendered.title or posixpath.basename(page.path)
    heading = "" if any(one.level == 1 for one in rendered.headings) else _heading(rendered.title)
    return (
        "<!doctype html>\n"
        f"<!-- {mark} -->\n"
        f"<html{_language(page)}>\n"
        '<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="fencerun">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>\n{rendering.stylesheet()}{_own_styles()}</style>\n</head>\n"
        f'<body class="sheet">\n{_contents(rendered)}'
        f'<main class="page">\n{heading}{rendered.body}</main>\n</body>\n</html>\n'
    )


def _language(page: Page) -> str:
    """The language that front matter names, as an attribute."""
    match = _LANGUAGE.match(page.text)
    return f' lang="{match[1]}"' if match else ""


def _heading(title: str) -> str:
    return f"<h1>{escape(title)}</h1>\n" if title else ""


def _contents(rendered: rendering.Rendered) -> str:
    made = rendering.contents(rendered.headings)
    if not made:
        return ""
    return (
        '<nav class="contents" aria-label="Contents">'
        f"<details><summary>Contents</summary></details>{made}</nav>\n"
    )


def _own_styles() -> str:
    from importlib.resources import files

    return (files("fencerun.export") / "static" / "sheet.css").read_text("utf-8")


def inlined(address: str, read: Read) -> str:
    """The address of an image with the image in it, where it is a file beside the page."""
    data = _picture(address, read)
    if data is None:
        return address
    kind = pictures.KINDS[posixpath.splitext(_path(address))[1].lower()]
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def _path(address: str) -> str:
    return unquote(address.partition("#")[0].partition("?")[0])


def _picture(address: str, read: Read) -> bytes | None:
    """The bytes of an image that is a file beside the page."""
    path = _path(address)
    known = posixpath.splitext(path)[1].lower() in pictures.KINDS
    if not known or ":" in path.split("/")[0] or path.startswith("/"):
        return None
    return read(path)
