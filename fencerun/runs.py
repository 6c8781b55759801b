"""Other machines' runs: what their fences printed, as `--report jsonl=FILE` wrote it down.

Reads files of events; does not know whether they still fit the pages (``unrun`` asks the keys).
"""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence

from fencerun.errors import UsageError
from fencerun.events import FenceDone, RunDone, Verdict
from fencerun.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """A verdict that ``file`` holds, of a fence that ran somewhere."""

    file: str
    verdict: Verdict


#: By fence id, oldest first.
Runs = Mapping[str, Sequence[Told]]


def load(patterns: Sequence[str]) -> Runs:
    """What the files tell; a pattern that the shell left alone (``'*.jsonl'``) is expanded.

    Raises UsageError for a file that is not there or is not such a report.
    """
    from fencerun.reporters.jsonl import JsonlError, read

    found: dict[str, list[Told]] = {}
    for file in _files(patterns):
        try:
            with open(file, encoding="utf-8") as lines:
                for event in read(lines):
                    for verdict in _verdicts(event):
                        found.setdefault(verdict.id, []).append(Told(file, verdict))
        except OSError as error:
            raise UsageError(f"--from {file}: {error.strerror}") from None
        except (JsonlError, UnicodeDecodeError) as error:
            raise UsageError(f"--from {file}: {error}", "give a `--report jsonl=` file") from None
    return found


def _files(patterns: Sequence[str]) -> list[str]:
    files: list[str] = []
    for pattern in patterns:
        matched = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]
        if not matched:
            raise UsageError(f"--from {pattern}: no such file")
        files += matched
    return list(dict.fromkeys(files))


def _verdicts(event: object) -> Sequence[Verdict]:
    """Verdicts of fences that ran: only those say what was printed, or that it failed."""
    if isinstance(event, FenceDone):
        verdicts: Sequence[Verdict] = (event.verdict,)
    else:
        verdicts = event.verdicts if isinstance(event, RunDone) else ()
    # What a run refused to record did not repeat there, so it says nothing here.
    return [v for v in verdicts if v.kind == "failed" or _repeated(v)]


def _repeated(verdict: Verdict) -> bool:
    return verdict.printed is not None and verdict.kind != "refused"
