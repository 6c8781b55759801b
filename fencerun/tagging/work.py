"""The verb `tag`, from a call to pages on disk and an exit code.

Reads each page, finds its candidates, settles what they become, and writes the page. Everything
that it says goes to one stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field
from typing import TextIO

from fencerun import files, launch, preload, reader
from fencerun.engines.base import EngineOptions
from fencerun.errors import FencerunError, UsageError
from fencerun.events import Problem
from fencerun.frozen import dataclass
from fencerun.infostring import Carrier
from fencerun.members import members
from fencerun.page import Page
from fencerun.publishing.finding import Sites
from fencerun.reporters.escape import cut, encodable, one_line
from fencerun.session import Request, Session
from fencerun.status import problem_line
from fencerun.tagging import outputs, report
from fencerun.tagging.candidates import Candidate, Left, candidates
from fencerun.tagging.echoes import echoed
from fencerun.tagging.fitting import fit, tags_of
from fencerun.tagging.outputs import Shown
from fencerun.tagging.progress import Progress
from fencerun.tagging.renderer import Choice, choose
from fencerun.tagging.rounds import Settled
from fencerun.tagging.settle import Search
from fencerun.tagging.trial import Trial
from fencerun.tagging.writing import Refusal, settable, tagged


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller asks for. ``carrier`` is None where the project's renderer is to say it."""

    targets: tuple[str, ...]
    tried: bool = False
    dry_run: bool = False
    carrier: Carrier | None = None
    python: str | None = None
    without: tuple[str, ...] = ()


def tag(wish: Wish, stream: TextIO) -> int:
    """Tag the pages and return the exit code.

    3 where a page has a problem, 2 where one could not be written, 1 where a dry run would change
    one, else 0. Raises UsageError.
    """
    targets = launch.targets(wish.targets)
    for target in targets:
        if target.fence or target.line:
            raise UsageError(f"{target}: `tag` takes whole pages", f"write `{target.path}`")
    request = Request("check", targets)
    progress = Progress(stream)
    session = launch.session(request, progress.told, python=wish.python, without=wish.without)
    return _Work(wish, session, stream, progress).run()


@dataclass(slots=True)
class _Work:
    """One call of the verb."""

    wish: Wish
    session: Session
    stream: TextIO
    progress: Progress
    changed: int = 0
    tagged: int = 0
    left: int = 0
    #: How many pages have a problem, and stay as they are.
    broken: int = 0
    unwritten: int = 0
    _trial: Trial | None = None
    _sites: Sites = field(default_factory=Sites)
    _opened: ExitStack = field(default_factory=ExitStack)

    def run(self) -> int:
        pages, _ = self.session.read()
        self._sites = Sites(self.session.project.publishes)
        codes = [block.content for page in pages for block in page.untagged]
        for note in self.session.notes:
            self._say(note)
        with self._opened, self.progress:
            for page in pages:
                self._page(page, codes)
        said = report.counted(self.tagged, self.left, self.wish.dry_run, self.unwritten)
        self._say(report.total(len(pages), said, self.broken))
        if self.unwritten:
            return 2
        if self.broken:
            return 3
        return 1 if self.wish.dry_run and self.changed else 0

    def _say(self, line: str) -> None:
        self.progress.clear()
        shown = encodable(cut(one_line(line)), getattr(self.stream, "encoding", None))
        self.stream.write(shown + "\n")
        self.stream.flush()

    def _refused(self, path: str, problems: Iterable[Problem]) -> None:
        for problem in problems:
            if problem.severity == "error":
                self._say(problem_line(problem))
        self._say(f"{path}: left as it is")
        self.broken += 1

    def _page(self, read: Page, codes: Sequence[str]) -> None:
        if read.broken:
            self._refused(read.path, read.problems)
            return
        data = files.read(read.path)
        page = reader.parse(data, read.path, self.session.defaults(read).syntax)
        found, left = candidates(page)
        if not found and not left:
            return
        choice = self._choice(page)
        ready, unfit = fit(page, found, choice.carrier)
        if isinstance(unfit, Refusal):
            self._refused(page.path, [unfit.problem(page.path)])
            return
        settled = self._settled(page, ready, codes)
        left = sorted([*left, *unfit, *settled.left], key=lambda one: one.line)
        self._write(page, data, choice, settled, left)

    def _choice(self, page: Page) -> Choice:
        if self.wish.carrier is not None:
            return Choice(self.wish.carrier)
        return choose(page, self._sites)

    def _settled(self, page: Page, found: Sequence[Candidate], codes: Sequence[str]) -> Settled:
        run = None
        if self.wish.tried and found:
            if self._trial is None:
                engine = self._opened.enter_context(self.session.engine(self._options(codes)))
                self._say(f"fencerun tag --try, {engine.describe()}")
                self._trial = Trial(self.session, engine)
            run = self._trial.run
        own = members(page, self.session.defaults(page))
        search = Search(page, own, found, settable(page), run)
        settled = search.settled()
        shown = list(outputs.shown(page, settled.kept, settled.printed))
        return echoed(search, settled, shown)

    def _options(self, codes: Sequence[str]) -> EngineOptions:
        project = self.session.project
        modules = preload.modules(codes)
        return EngineOptions(
            self.session.python, project.env, modules, project.threads, project.width
        )

    def _write(
        self, page: Page, data: bytes, choice: Choice, settled: Settled, left: Sequence[Left]
    ) -> None:
        tags = tags_of(page, settled, choice.carrier)
        previous = settled.links.previous and page.settings.defaults.continues != "previous"
        previous = previous and bool(tags)
        made: bytes | Refusal = tagged(page, tags, previous) if tags else data
        numbers = {tag.block.line: tag.number for tag in tags}
        found = list(outputs.shown(page, settled.kept, settled.printed))
        more = outputs.tags(page, found, numbers, choice.carrier)
        if more:
            both = tagged(page, [*tags, *more], previous)
            if not isinstance(both, Refusal):
                made, tags = both, [*tags, *more]
        left = _besides(left, found, numbers, settled)
        if isinstance(made, Refusal):
            self._refused(page.path, [made.problem(page.path)])
            return
        if made != data and not self.wish.dry_run and not self._replaced(page.path, data, made):
            return
        for line in report.page(page, tags, settled, left, previous):
            self._say(line)
        self.left += len(left)
        if made == data:
            self._say(report.summary(page.path, 0, len(left), choice, self.wish.dry_run))
            return
        if self.wish.dry_run:
            for line in report.difference(page.path, data, made):
                self._say(line)
        self.changed += 1
        self.tagged += len(tags)
        self._say(report.summary(page.path, len(tags), len(left), choice, self.wish.dry_run))

    def _replaced(self, path: str, data: bytes, made: bytes) -> bool:
        try:
            with files.locked(path):
                if files.read(path) != data:
                    raise files.NotWritten(path, "it changed meanwhile", "tag it again")
                files.replace(path, made, data)
        except FencerunError as error:
            self._say(f"fencerun: error: {error}")
            self.unwritten += 1
            return False
        return True


def _besides(
    left: Sequence[Left], found: Sequence[Shown], numbers: Mapping[int, int], settled: Settled
) -> list[Left]:
    """What is left, with the blocks that show an output, and not as code that cannot run."""
    lines = {line for one in found for line in range(one.block.start + 1, one.block.end + 1)}
    rest = [one for one in left if one.line not in lines]
    for one in found:
        line = one.candidate.line
        if (said := outputs.remark(one, numbers[line], settled.printed[line])) is not None:
            rest.append(said)
    return rest
