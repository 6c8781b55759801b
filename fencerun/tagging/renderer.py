"""Which form of tags a page's renderer shows well, from the configuration beside the page.

Looks for the files of renderers between the page and the project's root, and reads in them what
matters, as text: MkDocs' YAML holds tags that no safe loader takes. What each renderer makes of
the three forms was measured on 41 of them.
"""

from __future__ import annotations

from pathlib import Path

from fencerun.frozen import dataclass
from fencerun.infostring import Carrier
from fencerun.patterns import later

_DOCS = later(r"^docs_dir[ \t]*:[ \t]*[\"']?([^\"'#\r\n]+)", 8)
_EXTENSIONS = later(r"^[ \t]*-[ \t]*[\"']?pymdownx\.(?:superfences|extra)\b", 8)
_RELAXED = later(r"^[ \t]*relaxed_headers[ \t]*:[ \t]*(?:true|yes|on)\b", 10)
_COMMONMARK = later(r"^markdown[ \t]*:[ \t]*[\"']?CommonMark", 10)
_SPHINX = later(r"^(?:sphinx|execute|repository|launch_buttons)[ \t]*:", 8)


@dataclass(frozen=True, slots=True)
class Choice:
    """A form, and why: the file that says so, or nothing where none does."""

    carrier: Carrier
    why: str = ""


def choose(page: str, root: Path) -> Choice:
    """The form for a page, from the renderers' files above it, up to ``root``."""
    directory = Path(page).absolute().parent
    for above in (directory, *directory.parents):
        if choice := _at(above, directory):
            return choice
        if above == root or (above / ".git").exists():
            break
    return Choice("words")


def _at(above: Path, directory: Path) -> Choice | None:
    for name in ("mkdocs.yml", "mkdocs.yaml"):
        text = _text(above / name)
        if text is not None and _below(directory, above, text):
            return Choice(_mkdocs(text), name)
    if (above / "zensical.toml").is_file():
        return Choice("attributes", "zensical.toml")
    for name in ("_quarto.yml", "_quarto.yaml"):
        if (above / name).is_file():
            return Choice("attributes", name)
    text = _text(above / "_config.yml")
    if text is not None and not (above / "_toc.yml").exists() and not _SPHINX.search(text):
        return Choice("words" if _COMMONMARK.search(text) else "comment", "_config.yml")
    return None


def _mkdocs(text: str) -> Carrier:
    """Plain Python-Markdown shows words and braces alike to readers; superfences takes braces."""
    if not _EXTENSIONS.search(text):
        return "comment"
    return "words" if _RELAXED.search(text) else "attributes"


def _below(directory: Path, above: Path, text: str) -> bool:
    """Whether MkDocs renders what lies in ``directory``; a README above its pages it does not."""
    said = _DOCS.search(text)
    docs = above / (said[1].strip() if said else "docs")
    try:
        return directory.resolve().is_relative_to(docs.resolve())
    except OSError:
        return False


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
