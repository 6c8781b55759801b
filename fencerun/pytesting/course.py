"""Pages whose fences are asked for one at a time, and one warm engine for all of them.

The first fence of a page that is asked for starts a pass over all that are wanted of it, and each
further one takes its verdict from there: a page is still run as `fencerun check` runs it. Knows
nothing of pytest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Literal

from fencerun import launch
from fencerun.engines.base import Engine, EngineOptions
from fencerun.engines.lent import Lent
from fencerun.events import Event, Problem, Verdict
from fencerun.judgement import Judgement
from fencerun.members import Member
from fencerun.page import Page
from fencerun.plan import Plan, Share, Step, build
from fencerun.selection import Target
from fencerun.session import Request, Session, orphaned

MakeEngine = Callable[[EngineOptions], Engine]


class Course:
    """Pages that are run with one engine, which starts when the first fence is asked for."""

    def __init__(
        self,
        verb: Literal["check", "record"] = "check",
        *,
        python: str | None = None,
        without: Collection[str] = (),
        engine: MakeEngine | None = None,
    ) -> None:
        self.verb = verb
        self._python, self._without, self._make_engine = python, without, engine
        self._base: Session | None = None
        self._engine: Engine | None = None
        self._pass: Pass | None = None

    @property
    def python(self) -> str:
        """The interpreter of the fences, once a page was read."""
        return self._base.python if self._base else ""

    def page(self, name: str) -> CoursePage:
        """A page, read. Raises FencerunError."""
        request = Request(self.verb, (Target(name),))
        if self._base is None:
            self._base = launch.session(
                request,
                _nobody,
                python=self._python,
                without=self._without,
                engine=self._make_engine,
            )
            session = self._base
        else:
            session = launch.again(self._base, [name], request)
        return CoursePage(self, session)

    def start(self, wanted: Callable[[], Iterable[tuple[CoursePage, Collection[int]]]]) -> None:
        """Start the engine, if it is not, with what the fences will have it load."""
        if self._engine is not None or self._base is None:
            return
        chains = [chain for page, numbers in wanted() for chain in page.plan(numbers).chains]
        self._engine = self._base.engine(self._base.options(Plan(tuple(chains))))
        self._engine.__enter__()

    def engine(self) -> Engine:
        """The engine, started."""
        self.start(tuple)
        assert self._engine is not None, "a page was read before it is run"
        return self._engine

    def begin(self, page: CoursePage, numbers: Collection[int]) -> Pass:
        """A new pass over a page; the one before it runs to its end first."""
        if self._pass is not None:
            # An engine runs one thing at a time, and what is on its way will be asked for.
            self._pass.finish()
        self._pass = Pass(page, numbers, self.engine())
        return self._pass

    def close(self) -> None:
        """Drop what nobody asked for, and end every process. Safe to call twice."""
        if self._pass is not None:
            self._pass.drop()
            self._pass = None
        if self._engine is not None:
            self._engine.close()
            self._engine = None


class CoursePage:
    """One page of a course, and the verdicts that are known of it."""

    def __init__(self, course: Course, session: Session) -> None:
        self._course, self.session = course, session
        pages, settled = session.read()
        self.page: Page = pages[0]
        self.members: tuple[Member, ...] = settled[0] if settled else ()
        self._verdicts: dict[int, Verdict] = {}
        self._passes: list[Pass] = []

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The faults that keep its fences from running."""
        return tuple(p for p in self.page.problems if p.severity == "error")

    @property
    def orphans(self) -> tuple[Verdict, ...]:
        """Recordings whose fences are gone."""
        return tuple(orphaned(Share(self.page, (), (), len(self.page.fences))))

    def plan(self, numbers: Collection[int]) -> Plan:
        """What runs, and what does not, for these fences."""
        return build([self.members], lambda m: m.fence.number in numbers, self.session.gate.unmet)

    def verdict(self, number: int, wanted: Callable[[], Collection[int]]) -> Verdict:
        """The verdict of a fence.

        ``wanted`` says which fences will be asked for; it is called where a pass begins.
        """
        found = self._known(number)
        if found is None:
            left = {n for n in wanted() if n not in self._verdicts} | {number}
            if self._course.verb == "record":
                self._verdicts |= self._recorded(left)
            else:
                self._passes.append(self._course.begin(self, left))
            found = self._known(number)
        assert found is not None, "every fence has a verdict"
        return found

    def _known(self, number: int) -> Verdict | None:
        for one in self._passes if number not in self._verdicts else ():
            if number in one.numbers and (verdict := one.verdict(number)) is not None:
                self._verdicts[number] = verdict
        return self._verdicts.get(number)

    def _recorded(self, numbers: Collection[int]) -> Mapping[int, Verdict]:
        """Record these fences: a page is written once, when all of them have run."""
        name = self.page.path
        targets = tuple(Target(name, number) for number in sorted(numbers))
        session = launch.again(self.session, [name], Request("record", targets))
        session.engine = lambda _: Lent(self._course.engine())
        done = session.run()
        if done.interrupted:
            raise KeyboardInterrupt
        return {verdict.fence: verdict for verdict in done.verdicts}


class Pass:
    """One run over some fences of a page, as far as it was asked for."""

    def __init__(self, page: CoursePage, numbers: Collection[int], engine: Engine) -> None:
        self.numbers = frozenset(numbers)
        session = page.session
        plan = page.plan(numbers)
        self.verdicts: dict[int, Verdict] = {
            idle.member.fence.number: session.secrets.of(session.unrun.judgement(idle).verdict)
            for idle in plan.idle
        }
        self._stream: Iterator[tuple[Step, Judgement]] = session.runner(engine).run(plan.chains)

    def verdict(self, number: int) -> Verdict | None:
        """The verdict of a fence, running on until there is one; None where the pass broke off."""
        while number not in self.verdicts and self._next():
            pass
        return self.verdicts.get(number)

    def finish(self) -> None:
        """Run on to the end."""
        while self._next():
            pass

    def drop(self) -> None:
        """Run no further."""
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()

    def _next(self) -> bool:
        step, judgement = next(self._stream, (None, None))
        if step is None or judgement is None:
            return False
        self.verdicts[step.member.fence.number] = judgement.verdict
        return True


def _nobody(event: Event) -> None:
    """Verdicts are asked for."""


def called(path: str | os.PathLike[str]) -> str:
    """A page's path, as short as messages call it from the working directory."""
    return os.path.relpath(path).replace(os.sep, "/")
