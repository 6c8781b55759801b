"""Whether two SVG texts draw the same: element by element, numbers with a tolerance. Pure.

Blind to what tools and versions change without changing the drawing: identifiers, the order of
attributes, blanks, metadata, comments, how a bitmap is compressed. Text has to be the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fencerun.frozen import dataclass
from fencerun.patterns import later
from fencerun.plural import count

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

#: How far a coordinate may move, in parts of the larger side of the drawing.
TOLERANCE = 0.01

_GEOMETRY = frozenset(
    (
        *("x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "fx", "fy", "dx", "dy"),
        *("width", "height", "d", "points", "viewBox", "transform", "patternTransform"),
    )
)
_NUMBER = later(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_REFERENCE = later(r"(url\(\s*['\"]?)?#([^)'\"\s]+)")
_FUNCTION = later(r"(?<!\w)(\w+)\s*\(([^()]*)\)")
_PNG = later(r"data:image/png;base64,(.*)", re.DOTALL)


class NotSvg(ValueError):
    """A text that is no SVG; the message says why."""


@dataclass(frozen=True, slots=True)
class Node:
    """One element: its depth, its name, its attributes as they are compared, and its text.

    ``place`` is the identifier nearest above it, for messages.
    """

    depth: int
    tag: str
    attributes: Mapping[str, str]
    text: str
    place: str


def nodes(text: str) -> tuple[Node, ...]:
    """The elements of an SVG text in their order. Raises NotSvg."""
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise NotSvg(str(error)) from None
    if _local(root.tag) != "svg":
        raise NotSvg(f"it is <{_local(root.tag)}>")
    ids: dict[str, str] = {}
    for element in root.iter():
        if "id" in element.attrib:
            ids.setdefault(element.attrib["id"], f"n{len(ids) + 1}")
    try:
        return tuple(_walk(root, 0, "", ids))
    except RecursionError:
        raise NotSvg("its elements are nested too deeply") from None


def _local(name: object) -> str:
    return str(name).rpartition("}")[2]


def _walk(element: Element, depth: int, place: str, ids: Mapping[str, str]) -> Iterator[Node]:
    tag = _local(element.tag)
    if tag == "metadata":
        return
    place = element.attrib.get("id", place)
    attributes = {
        _local(name): _plain(_local(name), value, ids) for name, value in element.attrib.items()
    }
    # Blanks between elements are layout; within text they collapse, as a reader sees it.
    pieces = [element.text or "", *(child.tail or "" for child in element)]
    said = " ".join(" ".join(pieces).split())
    yield Node(depth, tag, attributes, said, place)
    for child in element:
        yield from _walk(child, depth + 1, place, ids)


def _plain(name: str, value: str, ids: Mapping[str, str]) -> str:
    """An attribute's value, identifiers numbered in the order in which they are made."""
    if name == "id":
        return ids.get(value, value)
    bitmap = _PNG.match(value)
    if bitmap:
        return _pixels(bitmap[1])
    value = _REFERENCE.sub(lambda m: f"{m[1] or ''}#{ids.get(m[2], m[2])}", value)
    return " ".join(value.split())


def _pixels(data: str) -> str:
    """A hash of what a PNG shows: other builds of zlib compress the same rows otherwise."""
    import base64
    import hashlib  # loads OpenSSL, and few drawings hold bitmaps
    import zlib

    try:
        png = base64.b64decode(data)
        at, shown = 8, b""
        packed = b""
        while at + 8 <= len(png):
            length, kind = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
            body = png[at + 8 : at + 8 + length]
            packed += body if kind == b"IDAT" else b""
            shown += body if kind in (b"IHDR", b"PLTE", b"tRNS") else b""
            at += 12 + length
        return "png:" + hashlib.sha256(shown + zlib.decompress(packed)).hexdigest()
    except (ValueError, zlib.error):
        return "data:" + hashlib.sha256(data.encode()).hexdigest()


def canonical(text: str) -> str:
    """One spelling for all texts with the same elements: what a key covers. Raises NotSvg."""
    lines = []
    for node in nodes(text):
        said = (f"{name}={_numbered(name, value)}" for name, value in node.attributes.items())
        lines.append(f"{node.depth} {node.tag} {' '.join(sorted(said))} {node.text}")
    return "\n".join(lines)


def _numbered(name: str, value: str) -> str:
    if name not in _GEOMETRY:
        return value
    return _NUMBER.sub(lambda match: f" {float(match[0]):g} ", value)


def first_difference(ones: Sequence[str], others: Sequence[str], *, free: bool) -> str | None:
    """The first difference between two rows of drawings, in words; None where there is none.

    ``free`` frees all coordinates.
    """
    if len(ones) != len(others):
        return f"{count(len(ones), 'figure')}, then {len(others)}"
    tolerance = math.inf if free else TOLERANCE
    try:
        found = (difference(a, b, tolerance) for a, b in zip(ones, others, strict=True))
        return next((why for why in found if why is not None), None)
    except NotSvg as error:
        return f"no SVG ({error})"


def difference(recorded: str, drawn: str, tolerance: float = TOLERANCE) -> str | None:
    """The first element that differs, in words; None where both draw the same.

    ``tolerance`` is in parts of the recorded drawing's larger side; inf frees all coordinates.
    Raises NotSvg.
    """
    ours, theirs = nodes(recorded), nodes(drawn)
    room = tolerance * _side(ours[0])
    for one, other in zip(ours, theirs, strict=False):
        why = _differs(one, other, room, tolerance)
        if why is not None:
            return why
    if len(ours) != len(theirs):
        longer = max(ours, theirs, key=len)[min(len(ours), len(theirs))]
        return f"{_name(longer)} is {'new' if len(theirs) > len(ours) else 'gone'}"
    return None


def _side(root: Node) -> float:
    box = [float(n) for n in _NUMBER.findall(root.attributes.get("viewBox", ""))]
    if len(box) == 4:
        return max(box[2:])
    sides = (_NUMBER.search(root.attributes.get(name, "")) for name in ("width", "height"))
    return max((float(side[0]) for side in sides if side), default=100.0)


def _name(node: Node) -> str:
    return f"`{node.tag}`" + (f" in `{node.place}`" if node.place else "")


def _differs(one: Node, other: Node, room: float, share: float) -> str | None:
    if (one.depth, one.tag) != (other.depth, other.tag):
        return f"{_name(other)} stands where {_name(one)} was"
    if one.text != other.text:
        return f"{_name(other)} says {other.text!r}, and said {one.text!r}"
    for name in sorted({*one.attributes, *other.attributes}):
        old, new = one.attributes.get(name), other.attributes.get(name)
        if old == new or name == "id":
            continue
        if old is None or new is None:
            return f"{_name(other)} has {'no' if new is None else 'a'} `{name}`"
        if name not in _GEOMETRY:
            return f"{_name(other)} has another `{name}`{_from(old, new)}"
        moved = _transformed(old, new, room, share) if "ransform" in name else _moved(old, new)
        if moved > room:
            how = f"by {moved:.3g}, and {room:.3g} is allowed" if moved < math.inf else "in form"
            return f"{_name(other)} has another `{name}`: it differs {how}"
    return None


def _from(old: str, new: str) -> str:
    return f": {new}, and had {old}" if len(old) + len(new) < 80 else ""


def _moved(old: str, new: str) -> float:
    """How far the numbers of two values are apart; inf where more than numbers differs."""
    if _skeleton(old) != _skeleton(new):
        return math.inf
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return max((_apart(a, b) for a, b in pairs), default=0.0)


def _apart(old: str, new: str) -> float:
    """The distance of two numbers; 0 of one that is no float, such as ``1e999``, and itself."""
    return 0.0 if old == new else abs(float(old) - float(new))


def _skeleton(value: str) -> str:
    return re.sub(r"[\s,]+", "", _NUMBER.sub("#", value))


def _transformed(old: str, new: str, room: float, share: float) -> float:
    """As ``_moved``, in units of ``room``: factors and angles are no coordinates."""
    ours, theirs = _FUNCTION.findall(old), _FUNCTION.findall(new)
    if _skeleton(old) != _skeleton(new) or len(ours) != len(theirs):
        return math.inf
    worst = 0.0
    if share == math.inf:
        return worst
    for (name, before), (_, after) in zip(ours, theirs, strict=True):
        pairs = zip(_NUMBER.findall(before), _NUMBER.findall(after), strict=True)
        for at, (a, b) in enumerate(pairs):
            apart = _apart(a, b)
            if name == "scale" or name.startswith("skew") or (name == "matrix" and at < 4):
                allowed = share * max(1e-9, abs(float(a)))
            elif name == "rotate" and at == 0:
                allowed = share * 180
            else:
                allowed = room
            if apart:
                worst = max(worst, room * apart / allowed if allowed else math.inf)
    return worst
