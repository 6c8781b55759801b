"""A page as a Jupyter notebook, with its recordings as outputs. The only importer of nbformat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fencerun.export import opening, outputs, source
from fencerun.export.cells import Code, Cut, File, Text
from fencerun.export.sheet import Read
from fencerun.members import Member
from fencerun.page import FileBlock
from fencerun.patterns import later
from fencerun.transcript import Turn, without_frames

_FORGET = """\
get_ipython().events.register(
    "pre_run_cell",
    lambda cell, compiler=get_ipython().compile, flags=get_ipython().compile.flags: (
        setattr(compiler, "flags", flags) if "%chain " in cell.raw_cell else None
    ),
)"""
_WORD = later(r"[^A-Za-z0-9_.-]+")
#: Paths in which a magic sees no option and no variable.
_PLAIN = later(r"[\w./][\w./-]*")


def notebook(cut: Cut, read: Read, pinned: Mapping[str, str], mark: Mapping[str, str]) -> str:
    """The notebook's text. ``pinned`` are variables that every fence gets."""
    import nbformat
    from nbformat import v4

    book: Any = v4.new_notebook(  # type: ignore[no-untyped-call]
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "fencerun": dict(mark),
        },
        cells=[_node(cell, v4) for cell in _cells(cut, read, pinned)],
    )
    nbformat.validate(book)
    return str(nbformat.writes(book)) + "\n"  # type: ignore[no-untyped-call]


def _node(cell: dict[str, Any], v4: Any) -> Any:
    """A cell of nbformat's own kind."""
    if cell.pop("cell_type") == "markdown":
        return v4.new_markdown_cell(**cell)
    shown = [v4.new_output(**output) for output in cell.pop("outputs")]
    return v4.new_code_cell(**cell, outputs=shown)


def _cells(cut: Cut, read: Read, pinned: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    if opening.needed(cut):
        yield _opening(cut, pinned)
    texts: dict[int, int] = {}
    files: dict[str, int] = {}
    for cell in cut.cells:
        if isinstance(cell, Text):
            count = texts[cell.after] = texts.get(cell.after, 0) + 1
            yield {"cell_type": "markdown", "id": f"text-{cell.after}-{count}",
                   "source": cell.markdown}  # fmt: skip
        elif isinstance(cell, File):
            name = _WORD.sub("-", cell.block.path.replace(".", "-"))[:50]
            count = files[name] = files.get(name, 0) + 1
            yield _file(cell.block, f"file{'' if count == 1 else count}-{name}")
        else:
            yield from _fence(cell, cut, read)


def _opening(cut: Cut, pinned: Mapping[str, str]) -> dict[str, Any]:
    lines = list(opening.function(cut, pinned, "os.getcwd()", moves=False))
    shell = "get_ipython()"
    if cut.chains > 1:
        lines += [
            "",
            "",
            "# `%chain 6`: the names and random numbers of fence 6 and of what continues it.",
            f"{shell}.register_magic_function(_fencerun({shell}.user_ns), 'line', 'chain')",
        ]
        if any(map(_futures, cut.members)):
            lines += ["# `from __future__` holds to the end of a chain.", _FORGET]
    else:
        lines += ["", "", f"_fencerun({shell}.user_ns)"]
    lines.append("del _fencerun")
    if any(member.fence.tags.figure for member in cut.members):
        lines.append("%config InlineBackend.figure_formats = ['svg']")
    return _code("fencerun", "\n".join(lines), {"fencerun": {"opening": True}}, ["remove-cell"],
                 hidden=True)  # fmt: skip


def _code(
    name: str,
    code: str,
    metadata: dict[str, Any],
    tags: list[str],
    shown: list[outputs.Output] | None = None,
    *,
    hidden: bool = False,
) -> dict[str, Any]:
    if tags:
        metadata["tags"] = tags
    if hidden:
        metadata["jupyter"] = {"source_hidden": True}
    return {"cell_type": "code", "id": name, "source": code, "metadata": metadata,
            "outputs": shown or []}  # fmt: skip


def _file(block: FileBlock, name: str) -> dict[str, Any]:
    metadata = {"fencerun": {"file": block.path}}
    plain = block.text.endswith("\n") and block.text.strip() and "\r" not in block.text
    if plain and _PLAIN.fullmatch(block.path):
        return _code(name, f"%%writefile {block.path}\n{block.text.removesuffix(chr(10))}",
                     metadata, [])  # fmt: skip
    written = f'{block.text!r}, encoding="utf-8", newline=""'
    code = f'__import__("pathlib").Path({block.path!r}).write_text({written});'
    return _code(name, code, metadata, [])


def _fence(cell: Code, cut: Cut, read: Read) -> Iterator[dict[str, Any]]:
    member = cell.member
    if cell.again:
        yield _again(cell)
    enters = cell.enters and cut.chains > 1 and not cell.again
    number = member.fence.number
    tags = _tags(cell)
    metadata = {"fencerun": _said(cell)}
    hidden = bool(member.tags.hidden)
    if member.fence.language == "pycon" and member.fence.transcript:
        for at, turn in enumerate(member.fence.transcript.turns, 1):
            code = f"%chain {cell.chain}\n{turn.code}" if enters and at == 1 else turn.code
            own = [*tags, "raises-exception"] if turn.raises else tags
            said = {"fencerun": {**_said(cell), "turn": at}}
            yield _code(f"fence-{number}-{at}", code, said, list(dict.fromkeys(own)), _turn(turn))
        return
    code = _source(member)
    if enters:
        code = source.after_futures(code, f"%chain {cell.chain}")
        code = _importing(_inherited(member, cut)) + code
    yield _code(f"fence-{number}", code, metadata, tags, _outputs(cell, read), hidden=hidden)


def _source(member: Member) -> str:
    code = member.fence.code.removesuffix("\n")
    language = member.fence.language
    if language in ("bash", "console"):
        # What is typed at a console goes on after a command that fails.
        options = " -e -o pipefail" if language == "bash" else ""
        failing = " --no-raise-error" if member.tags.exit else ""
        return f"%%bash{failing}{options}\n{code}"
    if language == "sh":
        return f"%%sh{' --no-raise-error' if member.tags.exit else ''} -e\n{code}"
    return code if member.tags.echo else source.silent(code)


def _outputs(cell: Code, read: Read) -> list[outputs.Output]:
    transcript = cell.member.fence.transcript
    if transcript is None:
        return outputs.of(cell.member, read)
    return outputs.stream(tuple(line for turn in transcript.turns for line in turn.output))


def _turn(turn: Turn) -> list[outputs.Output]:
    """What one prompt of a Python session shows."""
    if turn.raises:
        lines = without_frames(turn.output)
        at = lines.index("Traceback (most recent call last):")
        return outputs.stream(lines[:at]) + outputs.error(lines[at + 2 :])
    last = source.last_expression(turn.code)
    printed = last is None or turn.code.lstrip().startswith("print(")
    return outputs.stream(turn.output) if printed else outputs.result(turn.output)


def _again(cell: Code) -> dict[str, Any]:
    """What runs once more, so that a second fence can continue the same one."""
    number = cell.member.fence.number
    before = ", ".join(str(member.fence.number) for member in cell.again)
    ahead: list[str] = []
    codes = []
    for member in cell.again:
        found, code = source.futures(source.silent(member.fence.code.rstrip("\n")))
        ahead += found
        codes.append(code)
    tags = ["remove-cell"]
    if cell.idle is not None:
        tags.append("skip-execution")
    if cell.idle is not None or any(member.tags.raises for member in cell.again):
        tags.append("raises-exception")
    what = f"# fence {before} once more, since fence {number} continues it too"
    text = "\n".join(("%%capture", f"{_importing(ahead)}%chain {cell.chain}", what, *codes))
    return _code(f"fence-{number}-again", text, {"fencerun": {"again": number}}, tags, hidden=True)


def _futures(member: Member) -> list[str]:
    return source.futures(member.fence.code)[0] if "__future__" in member.fence.code else []


def _inherited(member: Member, cut: Cut) -> list[str]:
    """What the fences that ``member`` continues import of the future."""
    by_number = {one.fence.number: one for one in cut.members}
    found: list[str] = []
    while member.parent is not None:
        member = by_number[member.parent]
        found += _futures(member)
    return found


def _importing(names: list[str]) -> str:
    """A line that imports these of the future."""
    return f"from __future__ import {', '.join(dict.fromkeys(names))}\n" if names else ""


def _tags(cell: Code) -> list[str]:
    """Tags that Jupyter, nbclient, nbconvert and Jupyter Book know."""
    member, tags = cell.member, []
    if cell.idle is not None:
        # Skipped by nbclient; where it is run all the same, the rest goes on.
        tags += ["skip-execution", "raises-exception"]
    if member.tags.raises is not None:
        tags.append("raises-exception")
    if member.tags.hidden:
        tags += ["hidden", "remove-cell"]
    tags += (_WORD.sub("-", f"requires-{one}") for one in member.requires)
    return list(dict.fromkeys(tags))


def _said(cell: Code) -> dict[str, Any]:
    """What the page says of a fence, for tools that read the notebook."""
    member = cell.member
    said: dict[str, Any] = {"fence": member.fence.number, "line": member.fence.line}
    if member.parent is not None:
        said["continues"] = member.parent
    if member.requires:
        said["requires"] = list(member.requires)
    if member.tags.raises is not None:
        said["raises"] = member.tags.raises.type
    if cell.idle is not None:
        said["skipped"] = cell.idle.why
    if member.fence.recording is not None and member.fence.recording.on:
        said["on"] = member.fence.recording.on
    return said
