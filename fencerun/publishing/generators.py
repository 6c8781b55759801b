"""What the settings of each site generator mean for tags and output. Pure: texts in, `Site` out.

Which carriers a generator shows to readers was tried with the generators and their renderers:
`tests/render` holds the table. Docusaurus, VitePress and Hugo are told by patterns in settings
that are programs, or of three languages.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from fencerun.frozen import dataclass
from fencerun.infostring import Carrier
from fencerun.publishing import engines
from fencerun.publishing.settings import mapping, options, texts
from fencerun.publishing.site import Engine, Extent, Site

_CONFIG = re.compile(r"\bconfig\.[a-z]+$")
_WORDS: frozenset[Carrier] = frozenset(("words",))
_INFO: frozenset[Carrier] = frozenset(("words", "attributes"))


@dataclass(frozen=True, slots=True)
class Found:
    """Settings of a generator: their text, the directory of its site (absolute, with ``/``), and
    what to call their file. ``read`` gives the text of another file of the site, or None.
    """

    text: str
    directory: str
    called: str
    read: Callable[[str], str | None]

    def below(self, *names: str) -> tuple[str, ...]:
        """Directories that are named from that of the settings."""
        return tuple(posixpath.normpath(posixpath.join(self.directory, name)) for name in names)


def mkdocs(found: Found) -> Site | None:
    """MkDocs. Its own Markdown knows no tags; superfences knows braces."""
    config = _inherited(found)
    if config is None:
        return None
    extensions = dict(options(config.get("markdown_extensions")))
    fences = extensions.get("pymdownx.superfences")
    if fences is None and "pymdownx.extra" in extensions:
        own = extensions["pymdownx.extra"].get("pymdownx.superfences")
        fences = own if isinstance(own, dict) else {}
    docs = config.get("docs_dir")
    excluded = str(config.get("exclude_docs") or "").splitlines()
    hidden = (".*", *(_pattern(line) for line in excluded if _excludes(line)))
    extent = Extent(found.below(docs if isinstance(docs, str) else "docs"), hidden)
    site = Site("MkDocs", found.called, extent, engines=tuple(_acting(config, extensions)))
    relaxed = "`pymdownx.superfences` with `relaxed_headers: true`"
    if fences is None:
        return replace(site, shows=_INFO, carrier="comment", remedy=f"use {relaxed} there")
    if fences.get("relaxed_headers") is True:
        return site
    return replace(site, shows=_WORDS, carrier="attributes", remedy=f"use {relaxed} there")


def _inherited(found: Found, depth: int = 5) -> dict[str, Any] | None:
    """The settings over those that they inherit."""
    config = mapping(found.text)
    base = config.get("INHERIT") if config else None
    if config is None or not isinstance(base, str) or not depth:
        return config
    text = found.read(base)
    if text is None:
        return config
    beside = posixpath.dirname(base)
    read = found.read
    other = replace(found, text=text, read=lambda name: read(posixpath.join(beside, name)))
    return _over(config, _inherited(other, depth - 1) or {})


def _over(config: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """As MkDocs merges: mappings by their keys, all else is replaced."""
    merged = {**base, **config}
    for name, own in config.items():
        if isinstance(own, dict) and isinstance(base.get(name), dict):
            merged[name] = _over(own, base[name])
    return merged


def _excludes(line: str) -> bool:
    """Whether a line, written as in ``.gitignore``, leaves something out."""
    return bool(line.strip()) and not line.startswith(("#", "!"))


def _pattern(line: str) -> str:
    """The pattern of a path or, where it has no slash but at its end, of a name at any depth."""
    return line.strip().rstrip("/")


def _acting(config: Mapping[str, Any], extensions: Mapping[str, object]) -> Iterator[Engine]:
    macros = dict(options(config.get("plugins"))).get("macros")
    if macros is not None and macros.get("render_by_default") is not False:
        yield _with_signs(engines.MACROS, macros)
    if "pymdownx.snippets" in extensions:
        yield engines.SNIPPETS


def _with_signs(engine: Engine, options: Mapping[str, Any]) -> Engine:
    """The engine with the signs that the plugin's options give it."""
    names = ("variable", "block", "comment")
    signs = tuple(
        str(options.get(f"j2_{name}_start_string") or usual)
        for name, usual in zip(names, engine.marks, strict=True)
    )
    if signs == engine.marks:
        return engine
    return replace(engine, marks=signs, pattern="|".join(map(re.escape, signs)))


def quarto(found: Found) -> Site | None:
    """Quarto, which reads pages with pandoc's own Markdown."""
    config = mapping(found.text)
    if config is None:
        return None
    project = config.get("project")
    chosen = texts(project.get("render")) if isinstance(project, dict) else ()
    # As its `projectHiddenIgnoreGlob` and engines' `ignoreDirs` say.
    hidden = ("_*", ".*", "README.*", "CLAUDE*.md", "AGENTS*.md", "node_modules", "venv", "env")
    left_out = tuple(_pattern(one[1:]) for one in chosen if one.startswith("!"))
    chosen = tuple(one for one in chosen if not one.startswith("!"))
    extent = Extent(found.below("."), (*hidden, *left_out), chosen=chosen)
    acting = (engines.QUARTO,)
    return Site("Quarto", found.called, extent, _WORDS, "attributes", engines=acting)


def jekyll(found: Found) -> Site | None:
    """Jekyll and GitHub Pages. Kramdown knows one word behind the backticks."""
    config = mapping(found.text)
    if config is None or _is_jupyter_book(config, found.read):
        return None
    reader = str(config.get("markdown", "kramdown")).lower()
    source = config.get("source")
    collections = config.get("collections")
    kept = [f"_{name}" for name, _ in options(collections)] + [f"_{n}" for n in texts(collections)]
    excluded = map(_pattern, texts(config.get("exclude")))
    hidden = ("_*", ".*", "node_modules", "vendor", *excluded)
    plugins = texts(config.get("plugins")) + texts(config.get("gems"))
    extent = Extent(
        found.below(source if isinstance(source, str) else "."),
        hidden,
        ("_posts", "_drafts", *kept),
        fronted="jekyll-optional-front-matter" not in plugins,
    )
    site = Site("Jekyll", found.called, extent, engines=(engines.LIQUID,))
    if "commonmark" in reader or reader == "gfm":
        return site
    remedy = "set `markdown: CommonMarkGhPages` there"
    return replace(site, shows=_INFO, carrier="comment", remedy=remedy)


def _is_jupyter_book(config: Mapping[str, Any], read: Callable[[str], str | None]) -> bool:
    """Whether ``_config.yml`` is that of Jupyter Book 1, which shows no tags."""
    return bool({"sphinx", "execute"} & config.keys()) or read("_toc.yml") is not None


def hugo(found: Found) -> Site | None:
    """Hugo. It shows no tags."""
    if _CONFIG.search(found.called) and "baseurl" not in found.text.lower():
        return None  # of something else
    content = re.search(r"contentDir[\"']?\s*[=:]\s*[\"']?([^\"'\r\n,]+)", found.text)
    extent = Extent(found.below(content[1].strip() if content else "content"))
    return Site("Hugo", found.called, extent, engines=(engines.HUGO,))


def docusaurus(found: Found) -> Site:
    """Docusaurus. It shows no tags, and reads a page as MDX unless it is told otherwise."""
    named = re.findall(r"\bpath\s*:\s*[\"']([^\"']+)[\"']", found.text)
    plain = re.search(r"\bformat\s*:\s*[\"'](?:md|detect)[\"']", found.text)
    extent = Extent(found.below("docs", "blog", "src/pages", "versioned_docs", *named), ("_*",))
    site = Site("Docusaurus", found.called, extent, engines=() if plain else (engines.MDX,))
    if plain or not re.search(r"\bcomments\s*:\s*false", found.text):
        return site
    remedy = "leave `mdx1Compat.comments` on there"  # without it, a comment ends the build
    return replace(site, shows=frozenset(("comment",)), remedy=remedy)


def vitepress(found: Found) -> Site:
    """VitePress. It shows no tags."""
    source = re.search(r"\bsrcDir\s*:\s*[\"']([^\"']+)[\"']", found.text)
    extent = Extent(found.below(source[1] if source else "."), (".*", "node_modules"))
    return Site("VitePress", found.called, extent, engines=(engines.VUE,))


#: What reads the settings of each generator.
READERS: Mapping[str, Callable[[Found], Site | None]] = {
    "mkdocs": mkdocs,
    "quarto": quarto,
    "jekyll": jekyll,
    "hugo": hugo,
    "docusaurus": docusaurus,
    "vitepress": vitepress,
}
