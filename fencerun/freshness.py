"""Keys: what the output of a fence depends on, and what its recording says, as hashes. Pure.

A key is the same on every machine, system and Python, so that a machine without a GPU can tell
that what one with a GPU recorded is out of date. It knows nothing of writing or running; files
are read by a function that is handed in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from fencerun import localmodules
from fencerun.frozen import dataclass
from fencerun.kinds import PYTHONS
from fencerun.localmodules import Read
from fencerun.members import Member
from fencerun.patterns import later
from fencerun.tags import Raises

#: Hexadecimal digits of each half of a key. A half is only ever compared with the one half that
#: stood at the same fence, so what counts is the chance that one edit goes unseen: 1 in 16**8, or
#: 4.3 billion. With 6 digits (1 in 16.8 million) a course that makes 100,000 edits of gated fences
#: in a year would in one year of 170 show old output as current; with 8, in one of 43,000. Keys
#: guard against mistakes, not against malice: whoever can edit a page can write any key.
DIGITS = 8

#: Tags that the printed text depends on. All others say how to run or to compare.
BEHAVIOUR = ("raises", "exit", "stderr", "echo", "mask", "figure")

#: Tags whose text is no part of a key. ``continues`` and ``uses`` are, as what they name.
PRESENTATION = frozenset(
    {"continues", "uses", "requires", "rtol", "atol", "ints", "match", "varies", "quiet", "hidden"}
    | {"skip", "timeout", "isolated", "allows", "as_"}
)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that an output depends on. ``name`` is for people and no part of a key."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Key:
    """The key beside a recording: hashes of what it depends on, and of its text."""

    source: str
    text: str

    def __str__(self) -> str:
        return f"{self.source}.{self.text}"


def part(name: str, role: str, content: str | bytes) -> Part:
    """A part whose digest covers ``role`` and ``content``, not ``name``.

    Text, also of a file, counts without trailing blanks and whatever its line endings; bytes
    that hold a NUL count as they are.
    """
    if isinstance(content, bytes):
        # git takes a file with a NUL for binary, and leaves its line endings alone.
        text = None if b"\0" in content else content.decode("utf-8", "surrogateescape")
        if text is None:
            return Part(name, _digest(role + "\0binary\0", content))
        content = text.removeprefix("\ufeff")
    return Part(name, _digest(role + "\0", _normal(content).encode("utf-8", "surrogateescape")))


def _digest(role: str, data: bytes) -> str:
    import hashlib  # loads OpenSSL, and a run that keeps nothing needs no key

    return hashlib.sha256(role.encode() + data).hexdigest()


def _normal(text: str) -> str:
    """``text`` with ``\\n`` line ends, without blanks before them or lines of blanks at its end."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip(" \t") for line in lines).rstrip("\n")


def chain_of(member: Member, settled: Mapping[int, Member]) -> tuple[Member, ...]:
    """The members that ``member`` continues, the first of them first, and itself."""
    chain = {member.fence.number: member}
    parent = member.parent
    while parent is not None and parent in settled and parent not in chain:
        chain[parent] = settled[parent]
        parent = settled[parent].parent
    return tuple(reversed(chain.values()))


def of_chain(chain: Sequence[Member], read: Read) -> tuple[Part, ...]:
    """What the output of the last member depends on.

    Its code and tags, those of the fences before it, the set-up file, the local modules that
    these import, the files that they use, and the expressions of its values. ``read`` takes paths
    relative to the page's directory, with ``/``.
    """
    found: list[Part] = []
    for member in chain:
        fence = member.fence
        said = tuple((name, value) for name in BEHAVIOUR if (value := getattr(member.tags, name)))
        own = member is chain[-1]
        found += _fence_parts(fence.number, fence.language, fence.code, said, own)
    page, setup = chain[-1].page, chain[-1].setup
    files = {block.path: block.text.encode("utf-8", "surrogateescape") for block in page.files}
    found += (_file(f"file {p} of this page", f"file {p}", data) for p, data in files.items())
    if files:
        read = _over(files, read)
    sources = [m.fence.code for m in chain if m.fence.language in PYTHONS]
    if setup is not None and sources:
        data = read(setup) or b""
        found.append(_file(f"set-up file {setup}", "setup", data))
        sources.append(localmodules.decoded(data))
    for path, data in localmodules.find(sources, read):
        if path not in files:
            found.append(_file(f"module {path}", f"module {path}", data))
    for path in dict.fromkeys(path for m in chain for path in m.tags.uses or ()):
        data = read(path) or b""
        found.append(_file(f"file {path} that it uses", f"uses {path}", data))
    for value in chain[-1].fence.values:
        bound = json.dumps([value.expression, value.spec])
        found.append(part(f"value {value.expression}", "value", bound))
    return tuple(found)


@lru_cache(maxsize=256)
def _file(name: str, role: str, data: bytes) -> Part:
    """The part that a file is. Kept, since every fence that imports a module asks for it."""
    return part(name, role, data)


def _over(files: Mapping[str, bytes], read: Read) -> Read:
    """A reader for which the page's own files hide those beside it."""

    def with_files(path: str) -> bytes | None:
        return files[path] if path in files else read(path)

    return with_files


@lru_cache(maxsize=4096)
def _fence_parts(
    number: int, language: str, code: str, said: tuple[tuple[str, object], ...], own: bool
) -> tuple[Part, ...]:
    """The code and tags of one fence. Kept, since a long chain asks for them once a member."""
    name = f"code of fence {number}" if own else f"fence {number} that it continues"
    whose = "" if own else f" of fence {number}"
    return (
        part(name, f"{'code' if own else 'continued'} {language}", code),
        *(part(f"tag {n}{whose}", f"tag {n}", json.dumps(_plain(value))) for n, value in said),
    )


def _plain(value: object) -> object:
    return [value.type, value.text] if isinstance(value, Raises) else value


def source_hash(parts: Sequence[Part]) -> str:
    """The first half of a key."""
    return _digest("source\0", "\0".join(p.digest for p in parts).encode())[:DIGITS]


def text_hash(lines: Sequence[str], values: Sequence[str] = (), figures: Sequence[str] = ()) -> str:
    """The second half of a key: of a recording's canonical lines, and of the fence's values.

    ``figures`` are the canonical texts of the figures that the recording shows.
    """
    if values:
        lines = (*lines, "\0values", *values)
    if figures:
        lines = (*lines, "\0figures", *figures)
    return _digest("text\0", _normal("\n".join(lines)).encode("utf-8", "surrogatepass"))[:DIGITS]


def key_of(
    parts: Sequence[Part],
    lines: Sequence[str],
    values: Sequence[str] = (),
    figures: Sequence[str] = (),
) -> Key:
    """The key of a recording that says ``lines``, and of what values and figures show."""
    return Key(source_hash(parts), text_hash(lines, values, figures))


def changes(before: Sequence[Part], now: Sequence[Part]) -> tuple[str, ...]:
    """What differs between two lists of parts, in words: why a recording is stale."""
    old, new = {p.digest for p in before}, {p.digest for p in now}
    names = {p.name for p in before}, {p.name for p in now}
    changed = [
        f"{p.name} changed" if p.name in names[0] else f"{p.name} is new"
        for p in now
        if p.digest not in old
    ]
    gone = [f"{p.name} is gone" for p in before if p.digest not in new and p.name not in names[1]]
    return (*changed, *gone)


_KEY = later(r"([0-9a-f]{6,64})\.([0-9a-f]{6,64})")


def parse_key(text: str) -> Key | None:
    """The key that ``text`` writes; None where it is none."""
    match = _KEY.fullmatch(text)
    return Key(match[1], match[2]) if match else None
