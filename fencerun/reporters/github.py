"""GitHub Actions: an annotation a fault, and a job summary in Markdown.

Knows nothing of the environment: the caller passes the summary's path.
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from fencerun.events import Event, Problem, RunDone, Verdict
from fencerun.plural import count
from fencerun.reporters.details import INDENT, details
from fencerun.reporters.escape import cut, encodable, one_line
from fencerun.reporters.markdown import job_summary
from fencerun.reporters.tally import Tally
from fencerun.reporters.wording import (
    leak_head,
    needs_attention,
    problem_head,
    remedy,
    sentence,
    severity,
    text,
    what,
)

#: An annotation is to be read beside the code: what is longer stands in the log.
_MESSAGE = 4000

#: What begins a note that is one.
_WARNING = "warning: "


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def command(level: str, message: str, **properties: str | int) -> str:
    """A workflow command: ``::error file=x.md,line=3,title=…::message``."""
    given = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{level}{' ' if given else ''}{given}::{_data(message)}"


class GithubReporter:
    """Writes annotations as faults come, and the job summary at the end.

    ``summary`` is the file that GitHub names in ``GITHUB_STEP_SUMMARY``; it is appended to.
    """

    def __init__(self, stream: TextIO, *, summary: str | None = None) -> None:
        self._stream = stream
        self._encoding: str | None = getattr(stream, "encoding", None)
        self._summary = summary
        self._tally = Tally()
        self._errors = 0

    def handle(self, event: Event) -> None:
        """Annotate what the event tells."""
        news = self._tally.add(event)
        for problem in news.problems:
            self._problem(problem)
        for verdict in news.verdicts:
            self._verdict(verdict)
        if isinstance(event, RunDone):
            self._end(event)

    def _problem(self, problem: Problem) -> None:
        message = text(problem_head(problem)).split(": ", 2)[-1]
        if problem.also:
            message += f"\nalso line {', '.join(map(str, problem.also))}"
        self._annotate(
            problem.severity, message, problem.page, problem.line, f"fencerun: {problem.code}"
        )

    def _verdict(self, verdict: Verdict) -> None:
        if needs_attention(verdict):
            level = "warning" if severity(verdict.kind) == "warning" else "error"
            title = f"fence {verdict.fence} {verdict.kind}"
            self._annotate(level, annotation(verdict), verdict.page, verdict.line, title)
        for leak in verdict.leaks:
            if not leak.undone:
                message = text(leak_head(verdict, leak)).split(": ", 2)[-1]
                line = verdict.line if leak.line is None else leak.line
                self._annotate("warning", message, verdict.page, line, "leak")

    def _annotate(self, level: str, message: str, page: str, line: int, title: str) -> None:
        self._errors += level == "error"
        self._write(command(level, message, file=page, line=line, title=one_line(title)))

    def _write(self, line: str) -> None:
        self._stream.write(encodable(f"{line}\n", self._encoding))
        self._stream.flush()

    def _end(self, event: RunDone) -> None:
        told = [one_line(note) for note in event.notes]
        for note in told:
            if note.startswith(_WARNING):
                message = note.removeprefix(_WARNING)
                self._write(command("warning", message, title="fencerun"))
        if event.exit_code and not self._errors:
            why = " ".join(note for note in told if not note.startswith(_WARNING))
            message = why or f"exit status {event.exit_code}, see the log"
            self._write(command("error", message, title="fencerun"))
        if self._summary is not None:
            self._summarise(self._summary)

    def _summarise(self, where: str) -> None:
        """The job summary. That it has no room changes nothing of what the run found."""
        try:
            with Path(where).open("a", encoding="utf-8", newline="\n") as file:
                file.write(encodable(job_summary(self._tally), "utf-8"))
        except OSError as error:
            message = f"no job summary, {one_line(where)}: {error.strerror or error}"
            self._write(command("warning", message, title="fencerun"))

    def close(self) -> None:
        """Say that a run broke off, if it did."""
        if self._tally.started is not None and self._tally.done is None:
            known = count(len(self._tally.verdicts), "fence")
            self._end(RunDone(6, 0.0, notes=(f"the run broke off after {known}.",)))
            self._tally = Tally()


def annotation(verdict: Verdict) -> str:
    """The words of an annotation: what, details, and the remedy."""
    lines = [sentence(what(verdict))]
    lines += (text(line).removeprefix(INDENT) for line in details(verdict))
    message = "\n".join(lines)
    if len(message) > _MESSAGE:
        message = "\n".join([cut(message, _MESSAGE), *remedy(verdict)])
    return message
