"""From a call to a session: configuration, interpreter, gate and engine put together.

The command line and the Python API both start here.
"""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fencerun import asked, config, interpreter, redaction, selection, state
from fencerun.beside import beside
from fencerun.capabilities import Own, parse_own
from fencerun.engines import choice
from fencerun.engines.base import Engine, EngineOptions
from fencerun.errors import UsageError
from fencerun.events import Event, RunDone
from fencerun.frontmatter import PageSettings
from fencerun.gate import Gate
from fencerun.masks import NAMED, Mask
from fencerun.request import RECORDABLE
from fencerun.selection import Target
from fencerun.session import Request, Session
from fencerun.tags import TagError
from fencerun.unrun import Unrun

if TYPE_CHECKING:
    from fencerun.probing import Prober
    from fencerun.runs import Runs


def targets(arguments: Sequence[str]) -> tuple[Target, ...]:
    """The targets that command-line arguments name; a file of that very name wins.

    Raises UsageError for what begins like an id and is none.
    """
    return tuple(map(_target, arguments))


def _target(text: str) -> Target:
    if os.path.exists(text):
        return Target(text)
    found = selection.parse(text)
    # A page's own name may hold what ends one in an id.
    return found if os.path.exists(found.path) else selection.insist(found)


def project(root: Path | None = None) -> config.Project:
    """The project at ``root``, or else the one around the working directory."""
    return config.load(config.find_root(_here()) if root is None else root)


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        what = "the working directory is gone"
        raise UsageError(what, "`cd` to one that is there") from None


def session(
    request: Request,
    emit: Callable[[Event], None],
    *,
    python: str | None = None,
    without: Collection[str] = (),
    must_have: Collection[str] = (),
    told: Sequence[str] = (),
    engine: Callable[[EngineOptions], Engine] | None = None,
    root: Path | None = None,
) -> Session:
    """A session for ``request``.

    ``told`` are `--report jsonl=` files of other runs. Where ``since`` or ``shard`` leave pages
    out, it is no fault that no fence is left, or none that can run. Raises UsageError when the
    configuration or an argument makes no sense, or when a capability in ``must_have`` does not
    hold.
    """
    settings = project(root)
    chosen = interpreter.choose(python, settings.root, os.environ, sys.executable)
    gate = _gate(settings, chosen, without, getattr(engine, "prober", None))
    own = _masks(settings)
    gate.insist(_defaults(settings), (*NAMED, *(mask.name for mask in own)))
    if must_have or request.requires or request.only != RECORDABLE:
        from fencerun import demands

        demands.insist(request, gate, must_have)
    notes: list[str] = []
    names, request = _pages(request, settings, notes)
    settings = replace(settings, env={**_caches(settings.root), **settings.env})
    return Session(
        request, settings, names, gate, own, engine or choice.engine(), chosen, emit,
        Unrun(gate, own, beside, _today(), settings.max_kept_days, request.renew, _runs(told),
              from_root=settings.relative),
        redaction.from_environment({**os.environ, **settings.env}), notes=notes,
    )  # fmt: skip


def _pages(
    request: Request, settings: config.Project, notes: list[str]
) -> tuple[tuple[str, ...], Request]:
    """The pages that are asked for, and the request with targets that are called as they are."""
    names = asked.names(request.targets, settings, notes)
    if settings.known and not request.targets:
        notes += asked.homeless(names, settings)
    asked.refuse_own_page(names)
    request = replace(request, targets=asked.called(request.targets, names, settings))
    if request.since is None and request.shard is None:
        return names, request
    from fencerun import narrowing

    return narrowing.narrowed(names, request, settings, notes)


def _runs(told: Sequence[str]) -> Runs:
    if not told:
        return {}
    from fencerun import runs

    return runs.load(told)


def again(base: Session, names: Sequence[str], request: Request) -> Session:
    """A session over other pages, with what ``base`` knows of the project and the machine."""
    asked.refuse_own_page(names)
    return replace(
        base, request=request, names=names, verdicts=[], problems=[], told=set(), notes=[]
    )


def run(session: Session) -> RunDone:
    """Run a session, and keep what it said for the next one."""
    done = session.run()
    remember(session, done)
    return done


def last_failed(request: Request, root: Path | None = None) -> Request:
    """``request`` for what was not green the last time; for everything where all was.

    What is not there any more is left aside.
    """
    settings = project(root)
    last = state.load(settings.root)
    red = [fence for fence, one in last.items() if one.kind in state.RED]
    return replace(request, among=frozenset(asked.there(red, settings)) or None)


def remember(session: Session, done: RunDone) -> None:
    """Keep what a run said, for `--lf`, `status` and `explain`."""
    pages = {verdict.page: session.relative(verdict.page) for verdict in done.verdicts}
    # A share that timed itself would move the borders of the shares that come after it.
    timed = session.request.shard is None
    state.save(session.project.root, done.verdicts, pages, timed=timed)


def _gate(
    settings: config.Project,
    python: str,
    without: Collection[str],
    elsewhere: Callable[..., Prober] | None,
) -> Gate:
    """The gate of this machine, or of those ``elsewhere`` that an engine runs on."""
    own = _capabilities(settings)
    for word in without:
        try:
            selection.capability(word, own)
        except TagError as error:
            raise UsageError(f"--without {word}: {error.args[0]}", error.args[1]) from None
    root = str(settings.root)
    said = {"own": own, "without": without, "env": settings.env, "root": root}
    if elsewhere is None:
        return Gate(partial(_prober, python, said), tuple(own), settings.untagged)
    # At once: by it, the engine learns of the project.
    there = elsewhere(python, table=settings.capabilities, **said)
    return Gate(lambda: there, tuple(own), settings.untagged)


def _prober(python: str, said: Mapping[str, Any]) -> Prober:
    from fencerun.probing import Prober

    return Prober(python, **said)


def _capabilities(settings: config.Project) -> Mapping[str, Own]:
    """The project's own capabilities."""
    found: dict[str, Own] = {}
    for name, value in settings.capabilities.items():
        try:
            found |= parse_own({name: value})
        except TagError as error:
            where = f"{config.place(settings.root, 'capabilities', name)}: capabilities"
            raise UsageError(f"{where}: {error.args[0]}", error.args[1]) from None
    return found


def _defaults(settings: config.Project) -> Iterator[tuple[Callable[[str], str], PageSettings]]:
    """What the configuration sets for pages, and what says where it does."""
    yield partial(config.place, settings.root), settings.defaults
    for pattern, own in settings.pages:
        yield partial(config.place, settings.root, "pages", pattern), own


def _masks(settings: config.Project) -> tuple[Mask, ...]:
    return tuple(Mask(name, *spec) for name, spec in settings.masks.items())


def _caches(root: Path) -> dict[str, str]:
    """Where compilers keep what they made: with the project, unless the caller says otherwise."""
    kept = {
        "TORCHINDUCTOR_CACHE_DIR": "inductor",
        "TORCH_EXTENSIONS_DIR": "extensions",
        "TRITON_CACHE_DIR": "triton",
    }
    base = root / state.DIRECTORY / "cache"
    return {name: os.environ.get(name) or str(base / part) for name, part in kept.items()}


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.timezone.utc).date()
