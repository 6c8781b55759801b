"""What a caller asks of a run. Data, and nothing else."""

from __future__ import annotations

from typing import Literal

from fencerun.frozen import dataclass
from fencerun.selection import Target

#: What `record` puts right unless `--only` says otherwise.
RECORDABLE = ("unrecorded", "changed", "rounding", "stale")

#: All that it can put right.
MENDABLE = (*RECORDABLE, "orphan")


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for."""

    verb: Literal["check", "record"]
    targets: tuple[Target, ...] = ()
    #: `-k`: only fences whose id or code holds this.
    word: str | None = None
    #: `--requires`: only fences that need one of these, themselves or through what they continue.
    requires: tuple[str, ...] = ()
    #: `--since`: only pages that differ from this git ref, or use a file that does.
    since: str | None = None
    #: `--shard`: only this share of the pages, such as ``2/5``.
    shard: str | None = None
    #: `--lf`: only these ids, relative to the root.
    among: frozenset[str] | None = None
    #: The verdicts that record acts on.
    only: tuple[str, ...] = RECORDABLE
    dry_run: bool = False
    #: Whether a new recording is taken at its first word.
    once: bool = False
    allow_empty: bool = False
    leaks_are_errors: bool = False
    #: Whether provenance is freshened where the fence ran and agreed.
    renew: bool = False
    #: Whether verdicts carry what another machine needs to take them in.
    carry: bool = False
    #: Whether verdicts carry what was printed, for a front end that shows it.
    show: bool = False
    #: Whether the first verdict that is not green ends the run.
    fail_fast: bool = False
