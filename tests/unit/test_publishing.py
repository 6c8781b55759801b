"""Site generators: what their settings say, which pages they publish, and what is warned of."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence, Set
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fencerun.configvalues import PUBLISHERS
from fencerun.infostring import Carrier
from fencerun.page import Page
from fencerun.publishing import advice, engines, generators, settings, templates
from fencerun.publishing.finding import FILES, Sites
from fencerun.publishing.site import Engine, Extent, Site
from fencerun.reader import parse

ROOT = Path(__file__).parents[2]


def _site(generator: str, text: str, called: str = "", **others: str) -> Site | None:
    """A generator whose settings, in ``/p``, are ``text``."""
    called = called or FILES[generator][0]
    return generators.READERS[generator](generators.Found(text, "/p", called, others.get))


# The settings of each generator.

SUPER = "markdown_extensions:\n  - pymdownx.superfences"
ALL, WORDS, NONE = {"words", "attributes"}, {"words"}, set[str]()

SHOWS: dict[str, tuple[str, str, set[str], str]] = {
    "mkdocs, nothing": ("mkdocs", "site_name: x", ALL, "comment"),
    "mkdocs, empty": ("mkdocs", "", ALL, "comment"),
    "mkdocs, fenced_code": ("mkdocs", "markdown_extensions: [fenced_code]", ALL, "comment"),
    "superfences": ("mkdocs", SUPER, WORDS, "attributes"),
    "superfences, a mapping": (
        "mkdocs",
        "markdown_extensions:\n  pymdownx.superfences:\n  toc: {permalink: true}",
        WORDS,
        "attributes",
    ),
    "superfences, custom": (
        "mkdocs",
        f"{SUPER}:\n      custom_fences:\n        - name: mermaid\n"
        "          format: !!python/name:pymdownx.superfences.fence_code_format",
        WORDS,
        "attributes",
    ),
    "relaxed": ("mkdocs", f"{SUPER}:\n      relaxed_headers: true", NONE, "words"),
    "relaxed, not": ("mkdocs", f"{SUPER}:\n      relaxed_headers: false", WORDS, "attributes"),
    "relaxed, a mapping": (
        "mkdocs",
        "markdown_extensions:\n  pymdownx.superfences:\n    relaxed_headers: yes",
        NONE,
        "words",
    ),
    "extra": ("mkdocs", "markdown_extensions: [pymdownx.extra]", WORDS, "attributes"),
    "extra, relaxed": (
        "mkdocs",
        "markdown_extensions:\n  - pymdownx.extra:\n      pymdownx.superfences:\n"
        "        relaxed_headers: true",
        NONE,
        "words",
    ),
    "tags of its own": (
        "mkdocs",
        f"site_url: !ENV [URL, x]\nhooks: !relative h\n!!x k: !!y [1]\n{SUPER}",
        WORDS,
        "attributes",
    ),
    "quarto": ("quarto", "project:\n  type: book", WORDS, "attributes"),
    "quarto, empty": ("quarto", "", WORDS, "attributes"),
    "jekyll": ("jekyll", "title: x", ALL, "comment"),
    "jekyll, kramdown": ("jekyll", "markdown: kramdown", ALL, "comment"),
    "jekyll, CommonMark": ("jekyll", "markdown: CommonMarkGhPages", NONE, "words"),
    "jekyll, GFM": ("jekyll", "markdown: GFM", NONE, "words"),
    "hugo": ("hugo", 'baseURL = "https://x"', NONE, "words"),
    "docusaurus": ("docusaurus", "export default {}", NONE, "words"),
    "docusaurus, strict": (
        "docusaurus",
        "markdown: {mdx1Compat: {comments: false}}",
        {"comment"},
        "words",
    ),
    "vitepress": ("vitepress", "", NONE, "words"),
}


@pytest.mark.parametrize(("generator", "text", "shows", "carrier"), SHOWS.values(), ids=SHOWS)
def test_which_carriers_are_shown(generator: str, text: str, shows: set[str], carrier: str) -> None:
    site = _site(generator, text)
    assert site is not None
    assert (site.shows, site.carrier) == (shows, carrier)
    assert carrier not in shows


NO_SITE: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "mkdocs, broken": ("mkdocs", "a: [", "", {}),
    "mkdocs, a list": ("mkdocs", "- a", "", {}),
    "mkdocs, an alias of itself": ("mkdocs", "a: &a [*a", "", {}),
    "quarto, text": ("quarto", "just text", "", {}),
    "jekyll, Jupyter Book": ("jekyll", "title: x", "", {"_toc.yml": "root: intro"}),
    "jekyll, Jupyter Book's sphinx": ("jekyll", "sphinx: {config: {}}", "", {}),
    "hugo, another config": ("hugo", "[build]\ntarget = 1", "config.toml", {}),
    "hugo, Zola's": ("hugo", 'base_url = "https://x"', "docs/config.toml", {}),
}


@pytest.mark.parametrize(("generator", "text", "called", "others"), NO_SITE.values(), ids=NO_SITE)
def test_what_is_no_generators_settings(
    generator: str, text: str, called: str, others: dict[str, str]
) -> None:
    assert _site(generator, text, called, **others) is None


def test_settings_are_inherited_as_mkdocs_does() -> None:
    base = "theme: {name: material, palette: x}\nmarkdown_extensions: [pymdownx.superfences]\n"
    site = _site("mkdocs", "INHERIT: ../base/m.yml", **{"../base/m.yml": base})
    assert site is not None
    assert site.shows == WORDS
    own = "INHERIT: b.yml\nmarkdown_extensions: [toc]"
    site = _site("mkdocs", own, **{"b.yml": base})
    assert site is not None
    assert site.shows == ALL
    base = "INHERIT: c.yml\nmarkdown_extensions: {pymdownx.superfences: {css_class: x}}"
    deepest = "markdown_extensions: {pymdownx.superfences: {relaxed_headers: true}}"
    above = {"d/b.yml": base, "d/c.yml": deepest}
    site = _site("mkdocs", "INHERIT: d/b.yml", **above)
    assert site is not None
    assert not site.shows
    for text in ("INHERIT: gone.yml", "INHERIT: self.yml"):
        site = _site("mkdocs", text, **{"self.yml": "INHERIT: self.yml"})
        assert site is not None


@given(st.text(max_size=60))
def test_no_text_breaks_a_reader(text: str) -> None:
    for generator in generators.READERS:
        site = _site(generator, text)
        assert site is None or site.carrier not in site.shows


NAMES = st.sampled_from(
    (
        *("markdown_extensions", "pymdownx.superfences", "pymdownx.extra", "relaxed_headers"),
        *("plugins", "macros", "j2_block_start_string", "docs_dir", "exclude_docs", "project"),
        *("render", "markdown", "source", "collections", "exclude", "gems", "INHERIT"),
    )
)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES | st.just("!x/") | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, DATA, max_size=5))
def test_no_settings_break_a_reader(data: dict[str, object]) -> None:
    text = yaml.safe_dump(data)
    for generator in ("mkdocs", "quarto", "jekyll"):
        site = _site(generator, text, "", docs_dir=text, render=text)
        assert site is None or site.carrier not in site.shows
        if site is not None:
            site.extent.holds("/p/docs/a.md", "---")


def test_settings_that_hold_themselves(tree: Callable[..., Path]) -> None:
    loop = "INHERIT: b.yml\na: &a\n  b: *a\n"
    tree(**{"mkdocs.yml": loop, "b.yml": loop, "docs/a.md": ""})
    Sites().site("docs/a.md", "")


@pytest.mark.parametrize(
    ("section", "found"),
    [
        (None, {}),
        ("text", {}),
        (3, {}),
        (["a", {"b": None}, {"c": {"d": 1}}, 7], {"a": {}, "b": {}, "c": {"d": 1}}),
        ({"a": None, "b": {"c": 1}, 3: []}, {"a": {}, "b": {"c": 1}, "3": {}}),
    ],
    ids=str,
)
def test_options(section: object, found: dict[str, object]) -> None:
    assert dict(settings.options(section)) == found


def test_unknown_yaml_tags_run_nothing() -> None:
    text = "a: !!python/object/apply:os.system ['exit 3']\nb: 1"
    assert settings.mapping(text) == {"a": None, "b": 1}


# The engines that a generator has.

ACTS: dict[str, tuple[str, str, tuple[Engine, ...]]] = {
    "mkdocs": ("mkdocs", "plugins: [search]", ()),
    "macros": ("mkdocs", "plugins: [search, macros]", (engines.MACROS,)),
    "macros, set": ("mkdocs", "plugins: {macros: {verbose: true}}", (engines.MACROS,)),
    "macros, off": ("mkdocs", "plugins: [macros: {render_by_default: false}]", ()),
    "snippets": ("mkdocs", "markdown_extensions: [pymdownx.snippets]", (engines.SNIPPETS,)),
    "quarto": ("quarto", "", (engines.QUARTO,)),
    "jekyll": ("jekyll", "", (engines.LIQUID,)),
    "hugo": ("hugo", "", (engines.HUGO,)),
    "docusaurus": ("docusaurus", "", (engines.MDX,)),
    "docusaurus, md": ("docusaurus", "markdown: {format: 'md'}", ()),
    "docusaurus, detect": ("docusaurus", 'format: "detect"', ()),
    "vitepress": ("vitepress", "", (engines.VUE,)),
}


@pytest.mark.parametrize(("generator", "text", "found"), ACTS.values(), ids=ACTS)
def test_which_engines_act(generator: str, text: str, found: tuple[Engine, ...]) -> None:
    site = _site(generator, text)
    assert site is not None
    assert site.engines == found


def test_macros_with_signs_of_their_own() -> None:
    site = _site("mkdocs", "plugins: [macros: {j2_variable_start_string: '[['}]")
    assert site is not None
    page = _page("a [[ b }}", "{{ c }}", "{% d %}")
    [problem] = templates.problems(page, site)
    assert (problem.line, problem.also) == (6, (22,))


@pytest.mark.parametrize("engine", [getattr(engines, n) for n in dir(engines) if n.isupper()])
def test_a_pattern_needs_a_mark(engine: Engine | object) -> None:
    if not isinstance(engine, Engine):
        return
    pattern = re.compile(engine.pattern)
    assert engine.name and engine.remedy and engine.marks
    for mark in engine.marks:
        text = "--8<--" if mark == "-8<-" else f"{mark} "
        assert pattern.search(text) or mark == "<", mark


# Which pages are published.


@pytest.mark.parametrize(
    ("generator", "text", "path", "page", "held"),
    [
        ("mkdocs", "", "docs/a.md", "", True),
        ("mkdocs", "", "README.md", "", False),
        ("mkdocs", "", "documents/a.md", "", False),
        ("mkdocs", "docs_dir: src/pages", "src/pages/x/a.md", "", True),
        ("mkdocs", "docs_dir: ../up", "../up/a.md", "", True),
        ("mkdocs", "docs_dir: 3", "docs/a.md", "", True),
        (
            "mkdocs",
            "exclude_docs: |\n  drafts/\n  # x\n  !y.md\n  /a/b.md",
            "docs/x/drafts/a.md",
            "",
            False,
        ),
        (
            "mkdocs",
            "exclude_docs: |\n  drafts/\n  # x\n  !y.md\n  /a/b.md",
            "docs/a/b.md",
            "",
            False,
        ),
        (
            "mkdocs",
            "exclude_docs: |\n  drafts/\n  # x\n  !y.md\n  /a/b.md",
            "docs/x/y.md",
            "",
            True,
        ),
        ("quarto", "", "a.md", "", True),
        ("quarto", "", "x/a.md", "", True),
        ("quarto", "", "README.md", "", False),
        ("quarto", "", "x/_a.md", "", False),
        ("quarto", "", "_x/a.md", "", False),
        ("quarto", "", ".x/a.md", "", False),
        ("quarto", "", "CLAUDE.local.md", "", False),
        ("quarto", "project: {render: ['*.qmd', 'guide/*.md']}", "a.md", "", False),
        ("quarto", "project: {render: ['*.qmd', 'guide/*.md']}", "guide/a.md", "", True),
        ("quarto", "project: {render: ['*.md', '!drafts/']}", "drafts/a.md", "", False),
        ("quarto", "project: {render: ['*.md', '!drafts/']}", "x/a.md", "", True),
        ("quarto", "project: {render: ['guide/']}", "guide/deep/a.md", "", True),
        ("jekyll", "", "a.md", "", False),
        ("jekyll", "", "a.md", "---\n---\n", True),
        ("jekyll", "plugins: [jekyll-optional-front-matter]", "a.md", "", True),
        ("jekyll", "", "_posts/a.md", "---\n---\n", True),
        ("jekyll", "", "_includes/a.md", "---\n---\n", False),
        ("jekyll", "collections: {guides: {output: true}}", "_guides/a.md", "---\n", True),
        ("jekyll", "collections: [guides]", "_guides/a.md", "---\n", True),
        ("jekyll", "exclude: [drafts/, a/b.md]", "drafts/a.md", "---\n", False),
        ("jekyll", "exclude: [drafts/, a/b.md]", "a/b.md", "---\n", False),
        ("jekyll", "exclude: [drafts/, a/b.md]", "a/c.md", "---\n", True),
        ("jekyll", "source: docs", "a.md", "---\n", False),
        ("hugo", "", "content/a.md", "", True),
        ("hugo", "", "a.md", "", False),
        ("hugo", 'contentDir = "pages"', "pages/a.md", "", True),
        ("hugo", "contentDir: pages\nx: 1", "pages/a.md", "", True),
        ("hugo", '{"contentDir": "pages", "x": 1}', "pages/a.md", "", True),
        ("docusaurus", "", "docs/a.md", "", True),
        ("docusaurus", "", "README.md", "", False),
        ("docusaurus", "docs: {path: '../guides'}", "../guides/a.md", "", True),
        ("vitepress", "", "a.md", "", True),
        ("vitepress", "", "node_modules/x/a.md", "", False),
        ("vitepress", "srcDir: './src'", "a.md", "", False),
        ("vitepress", "srcDir: './src'", "src/a.md", "", True),
    ],
)
def test_extent(generator: str, text: str, path: str, page: str, held: bool) -> None:
    site = _site(generator, text)
    assert site is not None
    assert site.extent.holds(os.path.normpath(f"/p/{path}"), page) is held


def test_the_extent_of_everything() -> None:
    assert Extent(("/",)).holds("/any/where.md", "")


# Where settings are found.


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    monkeypatch.chdir(tmp_path)

    def make(**files: str) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return make


def test_the_nearest_settings_that_publish_the_page_hold(tree: Callable[..., Path]) -> None:
    tree(**{"mkdocs.yml": SUPER, "docs/en/_quarto.yml": "", "docs/en/a.md": "", "docs/b.md": ""})
    sites = Sites()
    found = [sites.site(name, "") for name in ("docs/en/a.md", "docs/b.md", "docs/en/README.md")]
    assert [site and site.file for site in found] == [
        "docs/en/_quarto.yml",
        "mkdocs.yml",
        "mkdocs.yml",
    ]
    assert sites.site("README.md", "") is None


def test_settings_above_a_checkout_are_anothers(tree: Callable[..., Path]) -> None:
    root = tree(**{"_quarto.yml": "", "repo/.git/HEAD": "", "repo/a.md": ""})
    assert Sites().site(str(root / "repo/a.md"), "") is None
    assert Sites().site(str(root / "a.md"), "") is not None


@pytest.mark.parametrize("generator", FILES)
def test_a_name_that_is_set(generator: str, tree: Callable[..., Path]) -> None:
    tree(**{"mkdocs.yml": SUPER, "docs/a.md": ""})
    site = Sites(generator).site("docs/a.md", "---\n")
    assert site is not None
    assert site.generator.lower() == generator
    assert site.file == ("mkdocs.yml" if generator == "mkdocs" else f'publishes = "{generator}"')
    elsewhere = Sites(generator).site("elsewhere/a.md", "")
    assert (elsewhere is None) == (generator == "mkdocs")


def test_a_file_is_read_once_until_it_changes(tree: Callable[..., Path]) -> None:
    root = tree(**{"mkdocs.yml": SUPER, "docs/a.md": ""})
    sites = Sites()
    first = sites.site("docs/a.md", "")
    assert first is not None
    assert sites.site("docs/b.md", "") is first
    (root / "mkdocs.yml").write_text(f"{SUPER}:\n      relaxed_headers: true")
    os.utime(root / "mkdocs.yml", ns=(1, 1))
    mended = sites.site("docs/a.md", "")
    assert mended is not None
    assert (first.shows, mended.shows) == (WORDS, NONE)
    (root / "mkdocs.yml").unlink()
    assert sites.site("docs/a.md", "") is None


@pytest.mark.parametrize("name", ["_quarto.yml", "mkdocs.yml", "hugo.toml", "_config.yml"])
@pytest.mark.parametrize("kind", ["bytes", "directory", "dangling", "unreadable"])
def test_settings_that_cannot_be_read(tree: Callable[..., Path], name: str, kind: str) -> None:
    path = tree() / name
    if kind == "bytes":
        path.write_bytes(b"\xff\xfe\x00")
    elif kind == "directory":
        path.mkdir()
    elif kind == "dangling":
        path.symlink_to("gone")
    else:
        path.write_text("a: 1")
        path.chmod(0)
    Sites().site("a.md", "")


def test_vitepress_is_a_directory(tree: Callable[..., Path]) -> None:
    tree(**{"web/.vitepress/config.mts": "srcDir: 'src'", "web/src/a.md": ""})
    site = Sites().site("web/src/a.md", "")
    assert site is not None
    assert site.file == "web/.vitepress/config.mts"
    assert Sites().site("web/a.md", "") is None


def test_the_setting_names_what_is_known() -> None:
    assert FILES.keys() == generators.READERS.keys() == {*PUBLISHERS} - {"none"}
    page = (ROOT / "docs/format.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| `publishes`"))
    assert {*re.findall(r"`([a-z]+)`", row)} == {"publishes", *PUBLISHERS}


# Warnings.


def _page(*outputs: str, front: str = "", tail: str = "", info: str = "") -> Page:
    parts = [front]
    for number, output in enumerate(outputs, 1):
        parts.append(f"```python fence:{number}\n1\n```\n\n")
        parts.append(f"```text output:{number}{info}\n{output}\n```\n\n")
    return parse(("".join(parts) + tail).encode(), "page.md")


def _with(*acting: Engine, shows: Set[Carrier] = frozenset()) -> Site:
    return Site("Any", "any.yml", Extent(("/",)), shows, "comment", "", acting)


FORMS: dict[Carrier, str] = {
    "words": "```python fence:7\n1\n```\n\n```text output:7\n1\n```\n",
    "attributes": "```python {fence=7}\n1\n```\n\n```text {output=7}\n1\n```\n",
    "comment": "<!-- fence:7 -->\n```python\n1\n```\n\n<!-- output:7 -->\n```text\n1\n```\n",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shown", FORMS)
def test_one_warning_for_a_page_in_a_form_that_is_shown(form: Carrier, shown: Carrier) -> None:
    page = parse(f"# Title\n\n{FORMS[form]}".encode(), "page.md")
    found = list(advice.problems(page, _with(shows={shown})))
    if form != shown:
        assert not found
        return
    [problem] = found
    assert (problem.page, problem.code, problem.severity) == ("page.md", "carrier", "warning")
    assert problem.line == (4 if form == "comment" else 3)
    assert problem.what == "Any shows readers the tags of 2 code blocks as text (any.yml)"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<!-- fence:1 hidden\n1\n-->\n", None),
        (
            "<!-- fence:1 -->\n```python\n1\n```\n\n<!-- output:1 -->\n\n*x*\n\n<!-- /output:1 -->",
            None,
        ),
        ("<!-- fence:1 -->\n```python\n1\n```\n\n```cpp file:a.cpp\n1\n```\n", 6),
        ("<!-- fence:1 -->\n```python\n1\n```\n\n```python fence:none\n1\n```\n", 6),
        ("<!-- fence:1 -->\n```python\n1\n```\n\n```text output:1\n1\n```\n", 6),
        ("```text output:9\n1\n```\n\n```python fence:1\n1\n```\n", 1),
        (
            "```py fence:1 figure:a.svg\n1\n```\n\n<!-- output:1 -->\n\nx\n\n<!-- /output:1 -->",
            1,
        ),
    ],
)
def test_what_has_tags_that_can_be_shown(text: str, line: int | None) -> None:
    page = parse(text.encode(), "page.md")
    assert not page.problems
    found = [problem.line for problem in advice.problems(page, _with(shows={"words"}))]
    assert found == ([] if line is None else [line])


ENGINES = {name: getattr(engines, name) for name in dir(engines) if name.isupper()}


@pytest.mark.parametrize(
    ("engine", "output", "shown"),
    [
        ("HUGO", "a {{< foo >}}", "{{<"),
        ("HUGO", "a {{% foo %}}", "{{%"),
        ("HUGO", '{"a": {{1: 2}}}', None),
        ("QUARTO", "{{< foo >}}", "{{<"),
        ("QUARTO", "{{{< foo >}}}", None),
        ("LIQUID", '{"a": {{1: 2}}}', "{{"),
        ("LIQUID", "{% foo %}", "{%"),
        ("LIQUID", "{'a': {'b': 1}}", None),
        ("LIQUID", "100%}", None),
        ("MACROS", "a {# b #}", "{#"),
        ("MACROS", "{'a': {'b': 1}}", None),
        ("SNIPPETS", '--8<-- "x.md"', '--8<-- "x.md"'),
        ("SNIPPETS", "  -8<- ", "-8<-"),
        ("SNIPPETS", ';--8<-- "x"', ';--8<-- "x"'),
        ("SNIPPETS", "cut here --8<-- x", None),
        ("SNIPPETS", "-8<", None),
        ("VUE", "{{ 1 + 1 }}", None),
        ("MDX", "{x: 1} <2", None),
    ],
)
def test_output_in_a_code_block(engine: str, output: str, shown: str | None) -> None:
    page = _page("before", f"first\n{output}\n{output}")
    found = list(templates.problems(page, _with(ENGINES[engine])))
    if shown is None:
        assert not found
        return
    [problem] = found
    assert (problem.line, problem.code, problem.severity) == (15, "template", "warning")
    what = f"the output of fence 2 holds `{shown}`, which {ENGINES[engine].name} acts on (any.yml)"
    assert problem.what == what


REGION = "```python fence:1 as:markdown\n1\n```\n\n<!-- output:1 -->\n\n{}\n\n<!-- /output:1 -->\n"


@pytest.mark.parametrize(
    ("engine", "content", "line"),
    [
        ("VUE", "| {{ 1 }} |\n|---|", 7),
        ("VUE", "a\n`{{ 1 }}` b", None),
        ("VUE", "a\n``{{ ` }}`` {{ b", 8),
        ("VUE", "```text\n{{ 1 }}\n```\n\nx {{", 11),
        ("VUE", "~~~~\n{{ 1 }}\n~~~\n{{ 2 }}\n~~~~", None),
        ("MDX", "| {x: 1} |", 7),
        ("MDX", "| \\{x: 1} |", None),
        ("MDX", "| 1 <2 |", 7),
        ("MDX", "| 1 < 2, <b>x</b> |", None),
        ("HUGO", "```text\n{{< x >}}\n```", 8),
    ],
)
def test_output_in_a_region(engine: str, content: str, line: int | None) -> None:
    page = parse(REGION.format(content).encode(), "page.md")
    assert not page.problems
    found = [problem.line for problem in templates.problems(page, _with(ENGINES[engine]))]
    assert found == ([] if line is None else [line])


@pytest.mark.parametrize(
    ("engine", "text", "found"),
    [("VUE", "{{ 1 }}", 1), ("MDX", "{1}", 1), ("LIQUID", "{% x", 1), ("HUGO", "4", 0)],
)
def test_a_value(engine: str, text: str, found: int) -> None:
    span = f'It is <span data-fence="1:x">{text}</span>.\n'
    page = _page("plain", tail=span)
    problems = list(templates.problems(page, _with(ENGINES[engine])))
    assert [problem.line for problem in problems] == [9] * found


@pytest.mark.parametrize(
    ("engine", "page", "lines"),
    [
        (
            "LIQUID",
            _page("{{ a }}", front="<!-- {% raw %} -->\n", tail="<!-- {% endraw %} -->"),
            [],
        ),
        ("LIQUID", _page("{{ a }}", front="<!-- {% raw %} -->\n"), []),
        ("LIQUID", _page("{{ a", front="{% raw %}\n\n{% endraw %}\n"), [9]),
        ("LIQUID", _page("{{ a", front="{%- raw -%}{%- endraw -%}\n"), [7]),
        ("LIQUID", _page("a", "{{ b", tail="{% raw %}\n"), [14]),
        ("MACROS", _page("{{ a }}", front="<!-- {% raw %} -->\n"), []),
        ("LIQUID", _page("{{ a", front="---\nrender_with_liquid: false\n---\n"), []),
        ("LIQUID", _page("{{ a", front="---\nrender_macros: false\n---\n"), [9]),
        ("MACROS", _page("{{ a", front="---\nrender_macros: false\n---\n"), []),
        ("MACROS", _page("{{ a", front="---\nx: 1\n---\nrender_macros: false\n\n"), [11]),
        ("MACROS", _page("{{ a", front="---\nrender_macros: false\n\n"), [9]),
        ("MACROS", _page("{{ a", front="---\nno_render_macros: false\n---\n"), [9]),
        ("QUARTO", _page("{{< a", info=" shortcodes=false"), []),
        ("QUARTO", _page("{{< a", info=" shortcodes=true"), [6]),
    ],
)
def test_what_turns_an_engine_off(engine: str, page: Page, lines: Sequence[int]) -> None:
    for each in _in_each_ending(page):
        found = [problem.line for problem in templates.problems(each, _with(ENGINES[engine]))]
        assert found == list(lines)


def _in_each_ending(page: Page) -> list[Page]:
    texts = (page.text.replace("\n", ending) for ending in ("\n", "\r\n", "\r"))
    return [parse(text.encode(), page.path) for text in texts]


SPAN = '<span data-fence="1:x">{{ 1 }}</span>'
V_PRE = SPAN.replace("<span", "<span v-pre")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (SPAN, [9]),
        (V_PRE, []),
        (f"{V_PRE} and {SPAN}", [9]),
        (f"{SPAN} and {SPAN}\n{SPAN}", [9, 10]),
        (f"::: v-pre\n\n{SPAN}\n\n:::\n\n{SPAN}", [15]),
        (f"::: tip\n\n{SPAN}\n\n:::", [11]),
        (f"::::v-pre\n\n{SPAN}\n\n::::", []),
    ],
)
def test_what_vue_leaves_alone(text: str, lines: Sequence[int]) -> None:
    page = _page("plain", tail=text + "\n")
    assert not page.problems
    for each in _in_each_ending(page):
        found = list(templates.problems(each, _with(engines.VUE)))
        assert [line for problem in found for line in (problem.line, *problem.also)] == lines


def test_the_page_line_counts_where_output_lies_in_a_quote_or_list() -> None:
    text = "> ```python fence:1\n> 1\n> ```\n>\n> ```text output:1\n> a\n> {{ b\n> ```\n"
    page = parse(text.encode(), "page.md")
    assert [p.line for p in templates.problems(page, _with(engines.LIQUID))] == [7]
    snippet = parse(text.replace("{{ b", '--8<-- "x"').encode(), "page.md")
    assert not list(templates.problems(snippet, _with(engines.SNIPPETS)))


def test_what_is_not_output_is_its_authors() -> None:
    code = "```python fence:1\nf'{{x}}'\n```\n\nProse {{ x }}\n\n```text\n{{ x }}\n```\n"
    page = parse(code.encode(), "page.md")
    assert not list(templates.problems(page, _with(engines.LIQUID)))


def test_a_transcript_is_output_too() -> None:
    page = parse(b"```console fence:1\n$ echo\n{{ x }}\n```\n", "page.md")
    assert [p.line for p in templates.problems(page, _with(engines.LIQUID))] == [3]


@pytest.mark.parametrize("code", ["carrier", "template"])
def test_every_warning_has_a_row(code: str) -> None:
    page = (ROOT / "docs/format.md").read_text(encoding="utf-8")
    assert f"| `{code}` | (as a warning) " in page
