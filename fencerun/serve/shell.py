"""The documents around lessons: bars, lists, dialogs. HTML from data, every text escaped.

Knows nothing of requests; the script in `static/` brings it to life, and without a script the
lessons can still be read. Ids begin with ``ui:``, as no heading's anchor does.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from fencerun.events import Problem
from fencerun.plural import count
from fencerun.rendering import contents
from fencerun.reporters.wording import capital
from fencerun.serve.keys import KEYS
from fencerun.serve.state import Lesson, Line

_DOCUMENT = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/page.css">
<link rel="stylesheet" href="/static/serve.css">
<script src="/static/theme.js"></script>
<script type="module" src="/static/app.js"></script>
</head>
<body data-page="{page}" data-called="{called}" data-at="{at}" data-version="{version}"
 data-word="{word}" data-boot="{boot}">
<a class="skip" href="#ui:main">Skip to the lesson</a>
<header class="top">
<button type="button" class="icon" data-act="menu" aria-label="Lessons" aria-expanded="false"
 aria-controls="ui:lessons">{menu}</button>
<a class="home" href="/">{home}</a>
<span class="now" id="ui:now" role="status"></span>
<span class="tools">{tools}</span>
</header>
<nav class="lessons" id="ui:lessons" aria-label="Lessons">
<label class="find"><span class="sr">Search the lessons</span>
<input type="search" id="ui:find" placeholder="Search" autocomplete="off" spellcheck="false">
<kbd>/</kbd></label>
<ol id="ui:hits" class="hits" hidden></ol>
<ol id="ui:list" class="list">{list}</ol>
</nav>
<main id="ui:main" tabindex="-1">{main}</main>
<nav class="outline" id="ui:outline" aria-label="On this page">{outline}</nav>
<dialog id="ui:help" aria-labelledby="ui:help-title">{help}</dialog>
<p id="ui:toast" class="toast" role="status" aria-live="polite"></p>
</body>
</html>
"""

_MENU = (
    '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">'
    '<path d="M2 4h12M2 8h12M2 12h12" fill="none" stroke="currentColor" stroke-width="1.5"'
    ' stroke-linecap="round"/></svg>'
)


def address(path: str) -> str:
    """Where a lesson is."""
    return f"/page/{quote(path, errors='replace')}"


def document(lesson: Lesson, lines: Sequence[Line], word: str, boot: str) -> str:
    """A lesson."""
    line = lesson.line
    return _document(
        f"{line.title} · fencerun",
        lines,
        word,
        boot,
        page=line.path,
        version=lesson.version,
        called=lesson.called,
        at=lesson.at,
        home=line.path,
        tools=_tools(),
        main=f'<div id="ui:problems" role="status">{problems(lesson)}</div>'
        f'<div id="ui:body" class="page">{lesson.body}</div>',
        outline=outline(lesson),
    )


def overview(lines: Sequence[Line], word: str, boot: str) -> str:
    """All lessons, where none is chosen yet."""
    rows = "".join(_item(line, with_path=True) for line in lines)
    said = count(len(lines), "page") if lines else "No page yet. A new one appears by itself."
    head = f'<h1>Lessons</h1><p class="count">{said}</p>'
    main = f'<div class="overview">{head}<ol class="rows" id="ui:rows">{rows}</ol></div>'
    tools = _button("run-all", "Run all", "Run every fence of every lesson", "a") + _STOP
    return _document("fencerun", lines, word, boot, home="fencerun", main=main, tools=tools)


def reading(word: str, boot: str) -> str:
    """The same while the lessons are being read; the script asks for it again."""
    said = '<p class="count" id="ui:reading">Reading…</p>'
    main = f'<div class="overview"><h1>Lessons</h1>{said}</div>'
    return _document("fencerun", (), word, boot, home="fencerun", main=main)


def missing(path: str, lines: Sequence[Line], word: str, boot: str) -> str:
    """An address that is no lesson's."""
    main = (
        '<div class="page"><h1>No such lesson</h1>'
        f"<p><code>{escape(path)}</code> is not among the pages that are served.</p>"
        '<p><a href="/">All lessons</a></p></div>'
    )
    return _document("No such lesson · fencerun", lines, word, boot, home="fencerun", main=main)


def _document(
    title: str,
    lines: Sequence[Line],
    word: str,
    boot: str,
    *,
    home: str,
    main: str,
    page: str = "",
    version: str = "",
    called: str = "",
    at: int = 0,
    tools: str = "",
    outline: str = "",
) -> str:
    return _DOCUMENT.format(
        title=escape(title),
        page=escape(page),
        word=escape(word),
        boot=escape(boot),
        version=escape(version),
        called=escape(called),
        at=at,
        menu=_MENU,
        home=escape(home),
        tools=tools + _ALWAYS,
        list="".join(_item(line, page) for line in lines),
        main=main,
        outline=outline,
        help=_help(),
    )


def outline(lesson: Lesson) -> str:
    """The table of contents of a lesson, where it has one."""
    made = contents(lesson.headings)
    return f'<p class="label">On this page</p>{made}' if made else ""


def problems(lesson: Lesson) -> str:
    """What keeps a page from running, or is worth a warning, each with its line."""
    return "".join(_problem(problem) for problem in lesson.problems)


def _problem(problem: Problem) -> str:
    remedy = f" {capital(problem.remedy)}." if problem.remedy else ""
    where = f"{problem.page}:{problem.line}"
    return (
        f'<p class="problem {problem.severity}"><button type="button" class="where"'
        f' data-copy="{escape(where)}">{escape(where)}</button>'
        f" {escape(problem.what)}.{escape(remedy)}</p>"
    )


def actions(number: int) -> str:
    """The buttons of a fence."""
    which = f'data-fence-number="{number}"'
    return "".join(
        f'<button type="button" data-act="{act}" {which} title="{title}"'
        f' aria-label="{title.partition(" (")[0]} {number}">{shown}</button>'
        for act, shown, title in (
            ("run", "Run", "Run fence (Enter)"),
            ("record", "Record", "Record fence (r)"),
        )
    )


def _tools() -> str:
    return (
        _button("run-all", "Run all", "Run every fence of the page", "a")
        + _button("record-all", "Record", "Run the page and write what it printed into it", "R")
        + _STOP
    )


def _button(act: str, shown: str, title: str, key: str, more: str = "") -> str:
    return (
        f'<button type="button" data-act="{act}" title="{escape(title)} ({key})" {more}>'
        f"{escape(shown)}</button>"
    )


_STOP = _button("stop", "Stop", "End the run", "x", "hidden")

_ALWAYS = _button("theme", "Theme", "Light, dark, or as the system has it", "t") + _button(
    "help", "?", "Keys", "?", 'aria-label="Keys"'
)


def _item(line: Line, page: str = "", *, with_path: bool = False) -> str:
    """A lesson in a list; ``page`` is the one that is shown."""
    here = ' aria-current="page"' if line.path == page else ""
    path = f'<code class="path">{escape(line.path)}</code>' if with_path else ""
    return (
        f'<li data-path="{escape(line.path)}" data-state="{escape(line.state)}">'
        f'<a href="{escape(address(line.path))}"{here}>{_dot(line)}'
        f'<span class="title">{escape(line.title)}</span>'
        f'<span class="tally">{escape(tally(line))}</span>{path}</a></li>'
    )


def _dot(line: Line) -> str:
    state = escape(line.state)
    return f'<i class="dot" role="img" aria-label="{state}" title="{state}"></i>'


def tally(line: Line) -> str:
    """How many fences, and how many of them are well where any has been run."""
    if not line.fences:
        return ""
    counts = dict(line.counts)
    if counts.get("unknown", 0) == line.fences:
        return str(line.fences)
    return f"{counts.get('ok', 0)}/{line.fences}"


def _help() -> str:
    rows = "".join(
        "<tr><th>" + " ".join(f"<kbd>{escape(key)}</kbd>" for key in keys) + "</th>"
        f"<td>{escape(what)}</td></tr>"
        for keys, what in KEYS
    )
    return (
        '<h2 id="ui:help-title">Keys</h2>'
        f"<table>{rows}</table><p>A click on a line of code copies its <code>path:line</code>.</p>"
        '<form method="dialog"><button type="submit">Close</button></form>'
    )
