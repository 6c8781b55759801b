"""JSON schemas of the configuration and of a page's front matter, for editors.

Made from the tables of settings, so that they name each of them and no other; ``config.json`` and
``page.json`` beside this file are what it gives. What only a machine can say (whether a file is
there, a pattern compiles, a capability is known) is not in them. Draft 7, which editors know best.
"""

from __future__ import annotations

from typing import Any, get_args

from fencerun import configvalues as settings
from fencerun import frontmatter, masks, tags
from fencerun.canonical import MIN_LIMIT
from fencerun.capabilities import OWN_FORMS
from fencerun.frontmatter import Records, Syntax, WorkingDirectory

Schema = dict[str, Any]

_DRAFT = "http://json-schema.org/draft-07/schema#"
_NUMBER = r"\s*\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?\s*"
_STRINGS: Schema = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}
_NAMES: Schema = {
    "anyOf": [
        {"type": "string", "pattern": r"^[^,]*[^,\s][^,]*(,[^,]*[^,\s][^,]*)*$"},
        {"type": "array", "items": {"type": "string", "pattern": r"[^,\s]"}, "minItems": 1},
    ],
}
_NOT_BLANK: Schema = {"type": "string", "pattern": r"\S"}
_FLAG: Schema = {"enum": [True, False, "yes", "no", "true", "false"]}
_COUNT: Schema = {"type": "integer", "minimum": 1}
_TEXTS: Schema = {"type": "object", "additionalProperties": {"type": ["string", "number"]}}


def config() -> Schema:
    """The schema of a ``pyproject.toml``, which has something to say of ``[tool.fencerun]``."""
    own = {**_properties(settings.READERS, _PROJECT), **_page_properties()}
    own["pages"] = {
        "description": "Settings for pages whose path from the root matches a pattern.",
        "type": "object",
        "additionalProperties": {"$ref": "#/definitions/page"},
    }
    return {
        "$schema": _DRAFT,
        "title": "[tool.fencerun] in pyproject.toml",
        "type": "object",
        "properties": {
            "tool": {
                "type": "object",
                "properties": {"fencerun": {"$ref": "#/definitions/project"}},
            }
        },
        "definitions": {"project": _closed(own), "page": _closed(_page_properties())},
    }


def page() -> Schema:
    """The schema of a page's front matter, which has something to say of ``fencerun:``."""
    return {
        "$schema": _DRAFT,
        "title": "Front matter of a page that fencerun runs",
        "type": "object",
        "properties": {"fencerun": {"$ref": "#/definitions/page"}},
        "definitions": {"page": _closed(_page_properties())},
    }


#: By the name that `fencerun schema` takes.
SCHEMAS = {"config": config, "page": page}


def _closed(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _page_properties() -> Schema:
    return _properties(frontmatter.NAMES, _PAGE)


def _properties(names: Any, shapes: dict[str, Schema]) -> Schema:
    """A setting that has no shape here may hold anything; a test finds it."""
    return {name: shapes.get(name, {}) for name in names}


def _told(description: str, shape: Schema) -> Schema:
    return {"description": description, **shape}


def _number(least: Schema, more: str = "") -> Schema:
    """A number, or one as text: YAML reads ``1e-3`` as text. ``more`` may stand instead."""
    pattern = f"^({_NUMBER}{more})$"
    return {"anyOf": [{"type": "number", **least}, {"type": "string", "pattern": pattern}]}


_PAGE: dict[str, Schema] = {
    "op_namespace": _told(
        "Fence K may register PyTorch operators only in NAME_fK.",
        {"type": "string", "pattern": r"^[A-Za-z_][A-Za-z0-9_]*$"},
    ),
    "continues": _told("Each fence continues the one before it.", {"const": "previous"}),
    "record": _told("Which fences are compared and recorded.", {"enum": [*get_args(Records)]}),
    "cwd": _told("Where chains run.", {"enum": [*get_args(WorkingDirectory)]}),
    "setup": _told(
        "A Python file that runs before the first Python fence of each chain.",
        {"type": "string", "pattern": r"^\s*[^/\\\s][^\\]*$"},
    ),
    "syntax": _told("How the page is read.", {"enum": [*get_args(Syntax)]}),
    "requires": _told("Capabilities that every fence needs to run.", _NAMES),
    "timeout": _told(
        "Seconds that a fence may take.", _number({"exclusiveMinimum": 0}, r"|[0-9.]+s")
    ),
    "rtol": _told(
        "Relative tolerance of fractional numbers: 1e-3, 5%, or any.",
        _number({"minimum": 0}, rf"|{_NUMBER}%|any"),
    ),
    "atol": _told("Absolute tolerance of fractional numbers.", _number({"minimum": 0})),
    "ints": _told("Tolerances hold for whole numbers, too.", _FLAG),
    "match": _told("How text is compared.", {"enum": [*get_args(tags.Match)]}),
    "mask": _told("What is replaced by its name, in the page and when comparing.", _NAMES),
    "varies": _told("What compares as equal; the text stays for readers.", _NAMES),
    "echo": _told("A last expression that is not None is shown.", _FLAG),
}

_PATTERN: Schema = {"type": "string", "minLength": 1}
_LINE: Schema = {"type": "string", "pattern": r"^[^\r\n]*$"}
_MASK = {**_closed({"pattern": _PATTERN, "replacement": _LINE}), "required": ["pattern"]}

_PROJECT: dict[str, Schema] = {
    "paths": _told("The pages and directories of a run that names none.", _STRINGS),
    "exclude": _told("Patterns of paths to leave out below directories.", _STRINGS),
    "threads": _told("Threads for computing, in each fence.", _COUNT),
    "env": _told(
        "Environment variables of fences.",
        {**_TEXTS, "propertyNames": {"pattern": r"^[^=]+$"}},
    ),
    "max_output": _told(
        "Bytes of output that a recording holds.", {"type": "integer", "minimum": MIN_LIMIT}
    ),
    "width": _told("Columns of the terminal that fences see.", _COUNT),
    "max_kept_days": _told("Days after which a kept recording is too old.", _COUNT),
    "masks": _told(
        "Further names for `mask:` and `varies:`: regular expressions.",
        {
            "type": "object",
            "propertyNames": {"pattern": f"^{masks.NAME}$"},
            "additionalProperties": {"anyOf": [_PATTERN, _MASK]},
        },
    ),
    "capabilities": _told(
        "Further names for `requires:`, and how to find out whether they hold.",
        {
            "type": "object",
            "additionalProperties": {
                "anyOf": [
                    {"type": "boolean"},
                    {
                        **_closed(dict.fromkeys(OWN_FORMS, _NOT_BLANK)),
                        "minProperties": 1,
                        "maxProperties": 1,
                    },
                ]
            },
        },
    ),
    "known": _told(
        'Fences that are known to fail or differ, and where that is tracked: "page.md::3" = "…".',
        {**_TEXTS, "propertyNames": {"pattern": "^.+::[1-9][0-9]*$"}},
    ),
    "untagged": _told(
        "What runnable code blocks without a tag are.", {"enum": [*settings.UNTAGGED]}
    ),
    "publishes": _told(
        "The site generator for which pages are looked at.", {"enum": [*settings.PUBLISHERS]}
    ),
}
