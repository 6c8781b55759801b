"""A validator for the part of XML Schema that ``junit.xsd`` uses, and no more of it.

It knows global elements, one sequence or choice of references in each type, mixed content,
attributes and three simple types. Anything else in a schema is refused, not skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

_XS = "{http://www.w3.org/2001/XMLSchema}"
_SIMPLE = {
    "xs:string": re.compile(r"(?s).*"),
    "xs:nonNegativeInteger": re.compile(r"\d+"),
    "xs:decimal": re.compile(r"[-+]?\d+(\.\d*)?"),
}
_KNOWN = {"sequence", "choice", "element", "attribute", "complexType", "schema"}


class Schema:
    """A schema, and the faults of a document under it."""

    def __init__(self, path: Path) -> None:
        root = ElementTree.parse(path).getroot()
        unknown = {one.tag.removeprefix(_XS) for one in root.iter() if isinstance(one.tag, str)}
        assert unknown <= _KNOWN, f"this validator does not know {unknown - _KNOWN}"
        self._elements = {one.attrib["name"]: one for one in root.findall(f"{_XS}element")}
        self._types = {one.attrib["name"]: one for one in root.findall(f"{_XS}complexType")}

    def faults(self, document: str) -> list[str]:
        """What is wrong with the document; nothing if it is valid."""
        root = ElementTree.fromstring(document.encode())
        return list(self._element(root))

    def _element(self, element: ElementTree.Element) -> Iterator[str]:
        declared = self._elements.get(element.tag)
        if declared is None:
            yield f"no element is called {element.tag}"
            return
        kind = declared.find(f"{_XS}complexType")
        kind = self._types[declared.attrib["type"]] if kind is None else kind
        yield from self._attributes(element, kind)
        yield from self._content(element, kind)
        for child in element:
            yield from self._element(child)

    def _attributes(self, element: ElementTree.Element, kind: ElementTree.Element) -> Iterator[str]:
        declared = {one.attrib["name"]: one.attrib for one in kind.findall(f"{_XS}attribute")}
        for name, value in element.attrib.items():
            if name not in declared:
                yield f"{element.tag} has no attribute {name}"
            elif not _SIMPLE[declared[name]["type"]].fullmatch(value):
                yield f"{element.tag}/@{name} is {value!r}"
        for name, attributes in declared.items():
            if attributes.get("use") == "required" and name not in element.attrib:
                yield f"{element.tag} lacks @{name}"

    def _content(self, element: ElementTree.Element, kind: ElementTree.Element) -> Iterator[str]:
        texts = [element.text or "", *(child.tail or "" for child in element)]
        if kind.get("mixed") != "true" and "".join(texts).strip():
            yield f"{element.tag} holds text"
        tags = "".join(f"<{child.tag}>" for child in element)
        if not re.fullmatch(_content_model(kind), tags):
            yield f"{element.tag} holds {tags}"


def _content_model(kind: ElementTree.Element) -> str:
    """The children that a type allows, as a pattern over their tags."""
    for group, joint in (("sequence", ""), ("choice", "|")):
        found = kind.find(f"{_XS}{group}")
        if found is not None:
            parts = [f"(<{one.attrib['ref']}>){_times(one)}" for one in found]
            return f"({joint.join(parts)}){_times(found)}"
    return ""


def _times(one: ElementTree.Element) -> str:
    most = one.get("maxOccurs", "1")
    return f"{{{one.get('minOccurs', '1')},{'' if most == 'unbounded' else most}}}"
