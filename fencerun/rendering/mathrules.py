"""Formulas in Markdown, as rules for its parser: ``\\(…\\)``, ``\\[…\\]``, ``$…$``, ``$$…$$``.

They are found before Markdown takes their backslashes. What only looks like one stays text: prices
(``$5 and $6``), escaped brackets (``\\[WIP\\]``). Nothing is imported from the parser here.
"""

from __future__ import annotations

from typing import Any

from fencerun.patterns import later

# What is in brackets is a formula if it holds more than words.
_TEX = later(r"[\\^_=+{}<>|]|[0-9a-zA-Z)]\s*[*/-]\s*[0-9a-zA-Z(\\]|\A\s*[A-Za-z]\s*\Z")
_LONGEST = 10_000


def install(parser: Any) -> None:
    """Make ``parser`` find formulas. Its ``env["fenced"]`` are lines of code blocks."""
    parser.inline.ruler.before("escape", "math", _inline)
    alternatives = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "math_block", _block, alternatives)


def formula(source: str, at: int, stop: int) -> tuple[str, int, bool] | None:
    """The formula at ``at``, where a backslash or dollar stands; None where it is none.

    Its TeX, where it ends, and whether it stands apart.
    """
    if source[at] == "\\":
        return _brackets(source, at, stop)
    return _dollars(source, at, stop)


def _inline(state: Any, silent: bool) -> bool:
    if state.src[state.pos] not in "\\$":
        return False
    found = formula(state.src, state.pos, state.posMax)
    if found is None:
        return False
    tex, end, display = found
    if not silent:
        token = state.push("math", "", 0)
        token.content, token.meta = tex, {"display": display}
    state.pos = end
    return True


def _brackets(source: str, at: int, stop: int) -> tuple[str, int, bool] | None:
    opener = source[at + 1 : at + 2]
    if opener not in ("(", "["):
        return None
    closer = "\\)" if opener == "(" else "\\]"
    end = _unescaped(source, closer, at + 2, stop)
    if end is None:
        return None
    tex = source[at + 2 : end]
    if not tex.strip() or "\\" + opener in tex:
        return None
    if opener == "[" and not _TEX.search(tex):
        return None
    return tex, end + 2, opener == "["


def _unescaped(source: str, closer: str, at: int, stop: int) -> int | None:
    """Where ``closer`` stands, not counting those behind another backslash."""
    stop = min(stop, at + _LONGEST)
    if source.find(closer, at, stop) < 0:
        return None
    while at < stop:
        found = source.find("\\", at, stop)
        if found < 0:
            return None
        if source.startswith(closer, found) and found + 2 <= stop:
            return found
        at = found + 2
    return None


def _dollars(source: str, at: int, stop: int) -> tuple[str, int, bool] | None:
    if source.startswith("$$", at):
        return _double(source, at, stop)
    before, after = source[at - 1 : at] if at else "", source[at + 1 : at + 2]
    if before.isalnum() or (before in ("\\", "$") and before) or not after or after.isspace():
        return None
    if after == "`":  # GitHub's form, in which Markdown touches nothing
        end = source.find("`$", at + 2, stop)
        return (source[at + 2 : end], end + 2, False) if end > at + 2 else None
    end = at
    limit = min(stop, at + _LONGEST)
    while (end := source.find("$", end + 1, limit)) >= 0:
        if source[end - 1] == "\\":
            continue
        follows = source[end + 1 : end + 2] if end + 1 < stop else ""
        if source[end - 1].isspace() or follows.isalnum() or follows == "$":
            return None
        return source[at + 1 : end], end + 1, False
    return None


def _double(source: str, at: int, stop: int) -> tuple[str, int, bool] | None:
    end = source.find("$$", at + 2, min(stop, at + _LONGEST))
    tex = source[at + 2 : end] if end > 0 else ""
    return (tex, end + 2, True) if tex.strip() else None


def _block(state: Any, first: int, last: int, silent: bool) -> bool:
    """A formula that begins a line and ends one, with no blank line in it."""
    if state.is_code_block(first):
        return False
    opener = _line(state, first)[:2]
    closer = {"$$": "$$", "\\[": "\\]"}.get(opener)
    if closer is None:
        return False
    parts = []
    fenced = state.env.get("fenced", ())
    for line in range(first, last):
        if line > first and (state.sCount[line] < state.blkIndent or line in fenced):
            return False
        text = _line(state, line)[2 if line == first else 0 :].rstrip()
        if text.endswith(closer):
            parts.append(text[:-2])
            break
        if (not text and line > first) or closer in text:
            return False
        parts.append(text)
    else:
        return False
    tex = "\n".join(parts)
    if not tex.strip() or closer in tex or (closer == "\\]" and not _TEX.search(tex)):
        return False
    if not silent:
        token = state.push("math_block", "", 0)
        token.block, token.map = True, [first, line + 1]
        token.content, token.meta = tex, {"display": True}
        state.line = line + 1
    return True


def _line(state: Any, line: int) -> str:
    return str(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]])
