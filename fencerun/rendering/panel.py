"""What is known of one fence: a badge, and a panel below its output. Pure, and all text escaped.

Words and severities are those of the terminal's reports, so that both say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from fencerun.events import Verdict
from fencerun.rendering import sides
from fencerun.rendering.rendered import FenceState
from fencerun.reporters import escape as plain
from fencerun.reporters import wording
from fencerun.result import Failure, Leak

#: Lines of an output or traceback that are shown; the rest is counted.
MOST = 400


def word(state: FenceState) -> str:
    """One word for style sheets."""
    if state.running is not None:
        return "running"
    if state.waiting:
        return "waiting"
    return wording.severity(state.verdict.kind) if state.verdict else "unknown"


def badge(state: FenceState) -> str:
    """The verdict and the seconds, in as few words as there are."""
    if state.running is not None:
        return label("running", "running", wording.duration(state.running))
    if state.waiting:
        return label("waiting", "waiting", "")
    verdict = state.verdict
    if verdict is None:
        return ""
    said = wording.kind_words(verdict.kind)
    beside = "" if verdict.seconds is None else wording.duration(verdict.seconds)
    if verdict.kind in ("kept", "expired", "stale", "edited") and state.on:
        beside = origin(state.on)
    elif verdict.kind in ("skipped", "missing", "kept"):
        beside = beside or verdict.reason
    return label(wording.severity(verdict.kind), said, beside, wording.what(verdict))


def label(state: str, said: str, beside: str, about: str = "") -> str:
    """A badge of one's own words: what is said, and fainter what stands ``beside`` it."""
    title = f' title="{escape(about)}"' if about else ""
    more = f' <span class="badge-aside">{escape(plain.one_line(beside))}</span>' if beside else ""
    return f'<span class="badge" data-state="{state}"{title}>{escape(said)}</span>{more}'


def origin(on: str) -> str:
    """The device and the day of ``device/torch-version/date``."""
    parts = on.split("/")
    return f"{parts[0]}, {parts[-1]}" if len(parts) > 1 else on


def panel(state: FenceState) -> str:
    """All that a report would say of it; empty where there is nothing to say."""
    verdict = state.verdict
    if verdict is None:
        return ""
    parts: list[str] = []
    if wording.needs_attention(verdict):
        parts.append(_message(verdict))
        parts += _failure(verdict)
        if verdict.diff:
            parts.append(sides.by_side(verdict.diff))
        if verdict.kind == "failed":
            parts += _text("output so far", verdict.output)
            parts += _text("stderr", verdict.stderr)
        parts += _remedy(verdict)
    parts += map(_leak, verdict.leaks)
    if verdict.replaced:
        why = escape(plain.cut(plain.one_line(verdict.replaced)))
        parts.append(f'<p class="panel-note">the worker was replaced: {why}</p>')
    return "".join(parts)


def _message(verdict: Verdict) -> str:
    state = wording.severity(verdict.kind)
    number = verdict.line
    line = f'<button type="button" class="panel-line" data-line="{number}">line {number}</button>'
    return (
        f'<p class="panel-message" data-state="{state}"><strong>{escape(verdict.kind)}</strong> '
        f"{escape(wording.what(verdict))} {line}</p>"
    )


def _failure(verdict: Verdict) -> Iterator[str]:
    failure = verdict.failure
    if failure is None:
        return
    yield from _text("", failure.traceback, "panel-traceback")
    yield from _values(failure)


def _values(failure: Failure) -> Iterator[str]:
    """The operands of a failed ``assert``."""
    if failure.values:
        rows = "".join(
            f"<tr><td><code>{escape(plain.one_line(source))}</code></td>"
            f"<td><code>{escape(plain.cut(plain.one_line(value)))}</code></td></tr>"
            for source, value in failure.values
        )
        yield f'<table class="panel-values"><tbody>{rows}</tbody></table>'


def _text(label: str, text: str, kind: str = "panel-text") -> Iterator[str]:
    lines = plain.block(text)
    if not lines:
        return
    if len(lines) > MOST:
        left = f"… {len(lines) - MOST:,} lines …"
        lines = [*lines[: MOST // 2], left, *lines[-MOST // 2 :]]
    if label:
        yield f'<p class="panel-label">{escape(label)}</p>'
    shown = escape("\n".join(map(plain.cut, lines)), quote=False)
    yield f'<pre class="{kind}" tabindex="0">{shown}</pre>'


def _remedy(verdict: Verdict) -> Iterator[str]:
    lines = wording.remedy(verdict)
    if lines:
        said = "<br>".join(map(_advice, lines))
        yield f'<p class="panel-remedy">{said}</p>'


def _advice(line: str) -> str:
    """A command to paste, or a sentence that may hold some."""
    if line.startswith("fencerun ") and "`" not in line:
        return f"<code>{escape(line)}</code>"
    return _with_code(wording.capital(line))


def _with_code(line: str) -> str:
    """What is between backticks is code."""
    parts = line.split("`")
    if len(parts) % 2 == 0:
        return escape(line)
    return "".join(
        f"<code>{escape(part)}</code>" if at % 2 else escape(part) for at, part in enumerate(parts)
    )


def _leak(leak: Leak) -> str:
    change = " → ".join(
        f"<code>{escape(plain.cut(plain.one_line(state)))}</code>"
        for state in (leak.was, leak.now)
        if state
    )
    end = "undone" if leak.undone else "not undone"
    state = "note" if leak.undone else "warning"
    what = escape(plain.one_line(leak.what))
    sign = ": " if change else ""
    return (
        f'<p class="panel-leak" data-state="{state}"><strong>leak</strong> '
        f"{what}{sign}{change}, {end}</p>"
    )
