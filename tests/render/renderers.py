"""The renderers behind publishing platforms, each behind one small Protocol."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

HERE = Path(__file__).parent


class Renderer(Protocol):
    """Makes HTML of a page. ``absent`` says why it cannot be used on this machine, or nothing."""

    @property
    def absent(self) -> str: ...

    def html(self, page: str) -> str:
        """The page as HTML."""
        ...


@dataclass(frozen=True)
class Module:
    """A renderer that is a Python module, and of other packages what it ``needs``."""

    module: str
    #: Makes HTML, given the module and a page.
    render: Any
    needs: tuple[str, ...] = ()

    @property
    def absent(self) -> str:
        for name in (self.module.partition(".")[0], *self.needs):
            if find_spec(name) is None:
                return f"{name} is not installed: pip install 'fencerun[render]'"
        return ""

    def html(self, page: str) -> str:
        return str(self.render(import_module(self.module), page))


@dataclass(frozen=True)
class Program:
    """A renderer that is a program of its own, reading a page from its standard input."""

    words: tuple[str, ...]

    @property
    def absent(self) -> str:
        return "" if shutil.which(self.words[0]) else f"there is no program {self.words[0]} here"

    def html(self, page: str) -> str:
        done = subprocess.run(
            self.words, input=page, capture_output=True, encoding="utf-8", check=True, timeout=60
        )
        return done.stdout


@dataclass(frozen=True)
class Node:
    """A renderer of JavaScript, one of those in `render.mjs`. All pages take one process."""

    name: str

    @property
    def absent(self) -> str:
        if shutil.which("node") is None:
            return "there is no program node here"
        missing = not (HERE / "node_modules").is_dir()
        return "its packages are not there: npm ci --prefix tests/render" if missing else ""

    def html(self, page: str) -> str:
        return _node()[self.name][page]


@cache
def _node() -> Mapping[str, Mapping[str, str]]:
    from .forms import FORMS

    done = subprocess.run(
        ["node", str(HERE / "render.mjs")],
        input=json.dumps([form.page for form in FORMS]),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    found: Mapping[str, Mapping[str, str]] = json.loads(done.stdout)
    return found


def _cmark_gfm(module: Any, page: str) -> str:
    options = module.cmark.Options
    flags = options.CMARK_OPT_UNSAFE | options.CMARK_OPT_GITHUB_PRE_LANG
    return str(module.github_flavored_markdown_to_html(page, flags))


def _python_markdown(*extensions: str, **configs: Mapping[str, object]) -> Module:
    def render(module: Any, page: str) -> str:
        named = {name.replace("__", "."): config for name, config in configs.items()}
        return str(module.markdown(page, extensions=list(extensions), extension_configs=named))

    needs = ("pymdownx",) if any(name.startswith("pymdownx") for name in extensions) else ()
    return Module("markdown", render, needs)


def _myst(module: Any, page: str) -> str:
    publish: Any = import_module("docutils.core").publish_parts
    settings = {"report_level": 4, "myst_enable_extensions": [], "doctitle_xform": False}
    parts = publish(page, parser=module.Parser(), writer="html5", settings_overrides=settings)
    return str(parts["body"])


@dataclass(frozen=True)
class Sphinx:
    """Sphinx with MyST, its warnings being errors. All pages are one project."""

    @property
    def absent(self) -> str:
        return Module("myst_parser", None, ("sphinx",)).absent

    def html(self, page: str) -> str:
        return _sphinx()[page]


@cache
def _sphinx() -> Mapping[str, str]:
    from .forms import FORMS

    build: Any = import_module("sphinx.application")
    with tempfile.TemporaryDirectory() as name:
        source, made = Path(name, "source"), Path(name, "made")
        source.mkdir()
        for index, form in enumerate(FORMS):
            title = "" if "heading" in form.elements else "# A page\n\n"
            page = (
                form.page if form.page.startswith(("---", "<!-- fencerun")) else title + form.page
            )
            (source / f"{index}.md").write_text(page, encoding="utf-8")
        (source / "figures").mkdir()
        (source / "figures/loss.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
        (source / "index.md").write_text("# All\n\n```{toctree}\n:glob:\n*\n```\n")
        settings = {"extensions": ["myst_parser"], "html_theme": "basic"}
        said = io.StringIO()
        application = build.Sphinx(
            source, None, made, made, "html", settings, status=None, warning=said
        )
        application.build()
        assert not said.getvalue()
        return {
            form.page: _body((made / f"{index}.html").read_text(encoding="utf-8"))
            for index, form in enumerate(FORMS)
        }


def _body(html: str) -> str:
    """What is the page's own of a page that Sphinx made."""
    return html.partition('<div class="body" role="main">')[2].partition('<div class="clearer">')[0]


def _markdown_it(module: Any, page: str) -> str:
    return str(module.MarkdownIt("commonmark").enable("table").render(page))


def _mistune(module: Any, page: str) -> str:
    return str(module.create_markdown(escape=False, plugins=["table"])(page))


@cache
def pandoc_version() -> int:
    """The major version of the pandoc that is here, or 0."""
    if shutil.which("pandoc") is None:
        return 0
    done = subprocess.run(["pandoc", "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"pandoc\S* ([0-9]+)", done.stdout)
    return int(found[1]) if found else 0


@dataclass(frozen=True)
class Pandoc(Program):
    """A major version of pandoc; the other's tests are skipped."""

    version: int = 0

    @property
    def absent(self) -> str:
        here = pandoc_version()
        if here in (0, self.version) or not self.version:
            return super().absent
        return f"the pandoc here is of version {here}"


_MKDOCS = ("toc", "tables", "fenced_code")
_MATERIAL = ("toc", "tables", "attr_list", "md_in_html", "admonition", "pymdownx.highlight")

RENDERERS: Mapping[str, Renderer] = {
    "cmark-gfm": Module("cmarkgfm", _cmark_gfm),
    "markdown-it-py": Module("markdown_it", _markdown_it),
    "mistune": Module("mistune", _mistune),
    "myst-parser": Module("myst_parser.docutils_", _myst, ("docutils",)),
    "Sphinx": Sphinx(),
    "remark": Node("remark"),
    "markdown-it": Node("markdown-it"),
    "MDX": Node("MDX"),
    "MDX with comments": Node("MDX with comments"),
    "Python-Markdown": _python_markdown(*_MKDOCS),
    "superfences": _python_markdown(*_MATERIAL, "pymdownx.superfences"),
    "superfences, bare": _python_markdown("tables", "pymdownx.superfences"),
    "superfences, relaxed": _python_markdown(
        *_MATERIAL, "pymdownx.superfences", pymdownx__superfences={"relaxed_headers": True}
    ),
    "pandoc 2": Pandoc(("pandoc", "-f", "markdown", "-t", "html"), 2),
    "pandoc 3": Pandoc(("pandoc", "-f", "markdown", "-t", "html"), 3),
    "pandoc, gfm": Pandoc(("pandoc", "-f", "gfm", "-t", "html")),
    "pandoc, commonmark_x": Pandoc(("pandoc", "-f", "commonmark_x", "-t", "html")),
    "kramdown": Program(("kramdown", "-i", "GFM")),
}
