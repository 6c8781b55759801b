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

from fencerun import config, interpreter, known, redaction, runs, selection, state
from fencerun.beside import beside
from fencerun.capabilities import Own, parse, parse_own
from fencerun.discovery import NoSuchPath, discover
from fencerun.engines import choice
from fencerun.engines.base import Engine, EngineOptions
from fencerun.errors import UsageError
from fencerun.events import Event, RunDone
from fencerun.frontmatter import PageSettings
from fencerun.gate import Gate
from fencerun.masks import NAMED, Mask
from fencerun.probing import Prober
from fencerun.request import MENDABLE
from fencerun.selection import Target
from fencerun.session import Request, Session
from fencerun.tags import TagError, nearest
from fencerun.unrun import Unrun

#: Set in every fence to the pages that are being run, so that none can run itself.
OWN_PAGE = "FENCERUN_PAGE"


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


def _called(
    wanted: Sequence[Target], names: Sequence[str], settings: config.Project
) -> tuple[Target, ...]:
    """The targets, with each page called as the run calls it: `x.md` and `./x.md` are one page.

    Directories become their pages where single fences are named besides.
    """
    if not any(target.fence or target.line for target in wanted):
        return tuple(wanted)
    called = {os.path.realpath(name): name for name in names}
    found: list[Target] = []
    for target in wanted:
        if target.fence or target.line:
            own = called.get(os.path.realpath(target.path), target.path)
            found.append(replace(target, path=own))
        else:
            found += (Target(called[os.path.realpath(n)]) for n in _names([target], settings))
    return tuple(found)


def _names(
    wanted: Sequence[Target], settings: config.Project, notes: list[str] | None = None
) -> tuple[str, ...]:
    def unread(directory: str, why: str) -> None:
        note = f"warning: {directory} cannot be read ({why}): pages in it are left out"
        if notes is not None and note not in notes:
            notes.append(note)

    paths = [target.path for target in wanted]
    try:
        names = discover(
            paths or _own_paths(settings),
            root=settings.root,
            exclude=settings.exclude,
            unread=unread,
        )
    except NoSuchPath as error:
        if paths:
            raise
        where = config.place(settings.root, "paths")
        raise UsageError(
            f"{where}: paths: {error.what}", error.remedy or "correct it there"
        ) from None
    # What nobody named is called as short as can be: `a.md`, not `../lessons/a.md`.
    return names if paths else tuple(map(os.path.relpath, names))


def _stale(names: Sequence[str], settings: config.Project) -> Iterator[str]:
    """A note for each entry of `known` that is about none of all pages, which ``names`` are."""
    pages = [os.path.relpath(name, settings.root).replace(os.sep, "/") for name in names]
    for entry in known.homeless(pages, settings.known):
        if not (settings.root / known.page_of(entry)).is_file():
            where = config.place(settings.root, "known", entry)
            yield f"warning: {where}: known lists {entry}, and there is no such page: delete it"


def _own_paths(settings: config.Project) -> list[str]:
    """The configured paths, as they are called from the working directory."""
    return [os.path.relpath(settings.root / path) for path in settings.paths]


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
    _insist(gate, must_have)
    gate.insist(_defaults(settings), (*NAMED, *(mask.name for mask in own)))
    _insist_on_names(request.requires, gate)
    _insist_on_kinds(request.only)
    notes: list[str] = []
    names = _names(request.targets, settings, notes)
    if settings.known and not request.targets:
        notes += _stale(names, settings)
    _refuse_own_page(names)
    request = replace(request, targets=_called(request.targets, names, settings))
    if request.since is not None or request.shard is not None:
        names, request = _narrowed(names, request, settings, notes)
    settings = replace(settings, env={**_caches(settings.root), **settings.env})
    return Session(
        request, settings, names, gate, own, engine or choice.engine(), chosen, emit,
        Unrun(gate, own, beside, _today(), settings.max_kept_days, request.renew,
              runs.load(told) if told else {}),
        redaction.from_environment({**os.environ, **settings.env}), notes=notes,
    )  # fmt: skip


def _narrowed(
    names: Sequence[str], request: Request, settings: config.Project, notes: list[str]
) -> tuple[tuple[str, ...], Request]:
    """The pages that ``since`` and ``shard`` leave, and the request for them."""
    from fencerun import narrowing

    left = tuple(names)
    if request.shard is not None:
        left = narrowing.share(left, request.shard, settings, notes)
    if request.since is not None:
        left = narrowing.touched(left, request.since, settings, notes)
    targets = (t for t in request.targets if t.path in left or not (t.fence or t.line))
    return left, replace(request, targets=tuple(targets), allow_empty=True)


def again(base: Session, names: Sequence[str], request: Request) -> Session:
    """A session over other pages, with what ``base`` knows of the project and the machine."""
    _refuse_own_page(names)
    return replace(
        base, request=request, names=names, verdicts=[], problems=[], told=set(), notes=[]
    )


def run(session: Session) -> RunDone:
    """Run a session, and keep what it said for the next one."""
    done = session.run()
    remember(session, done)
    return done


def last_failed(request: Request, root: Path | None = None) -> Request:
    """``request`` for what was not green the last time; for everything where all was."""
    last = state.load(project(root).root)
    among = frozenset(fence for fence, one in last.items() if one.kind in state.RED)
    return replace(request, among=among or None)


def remember(session: Session, done: RunDone) -> None:
    """Keep what a run said, for `--lf`, `status` and `explain`."""
    pages = {verdict.page: session.relative(verdict.page) for verdict in done.verdicts}
    # A share that timed itself would move the borders of the shares that come after it.
    timed = session.request.shard is None
    state.save(session.project.root, done.verdicts, pages, timed=timed)


def strip(request: Request) -> int:
    """Remove every recording of the pages asked for, and return the exit code.

    A page with a problem is left as it is. Raises UsageError where less than pages is named.
    """
    from fencerun.strip import off

    single = [target for target in request.targets if target.fence or target.line]
    narrowed = request.word or request.requires or request.since or request.shard
    if single or narrowed or request.among is not None:
        raise UsageError("--strip removes every recording of a page", "name pages or directories")
    settings = project()
    code = 0
    for name in _names(request.targets, settings):
        relative = os.path.relpath(name, settings.root).replace(os.sep, "/")
        code = max(code, off(name, settings.settings_for(relative).syntax))
    return code


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
            parse(word, own)
        except TagError as error:
            raise UsageError(f"--without {word}: {error.args[0]}", error.args[1]) from None
    make: Callable[..., Prober] = Prober
    if elsewhere is not None:
        make = partial(elsewhere, root=str(settings.root), table=settings.capabilities)
    prober = make(python, own=own, without=without, env=settings.env)
    return Gate(prober, tuple(own), settings.untagged)


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


def _insist_on_names(requires: Sequence[str], gate: Gate) -> None:
    for word in requires:
        try:
            selection.requiring([word], gate.own)
        except TagError as error:
            raise UsageError(f"--requires {word}: {error.args[0]}", error.args[1]) from None


def _insist_on_kinds(only: Sequence[str]) -> None:
    for word in only:
        if word not in MENDABLE:
            raise UsageError(f"--only {word}: no such verdict", nearest(word, MENDABLE))


def _insist(gate: Gate, must_have: Collection[str]) -> None:
    for word in must_have:
        try:
            why = gate.unmet(word)
        except TagError as error:
            raise UsageError(f"--must-have {word}: {error.args[0]}", error.args[1]) from None
        if why is not None:
            raise UsageError(f"--must-have {word}: {why}")


def _refuse_own_page(names: Sequence[str]) -> None:
    """A fence that runs its own page would start a run that starts a run."""
    running = os.environ.get(OWN_PAGE)
    for name in names if running else ():
        # Not split: a path may hold the separator.
        if f"{os.pathsep}{os.path.realpath(name)}{os.pathsep}" in f"{running}{os.pathsep}":
            raise UsageError(f"{name}: a fence of this page runs fencerun on the page itself")


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.timezone.utc).date()
