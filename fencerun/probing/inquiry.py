"""Questions to the Python that runs the lessons: answered by a process of it, or by this one.

The edge of ``probing`` that starts interpreters. It knows no capabilities; which questions there
are is said in ``worker/probe.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path

from fencerun.frozen import dataclass

#: Seconds that an interpreter may take to answer: importing torch takes 10 on a busy machine.
SECONDS = 180

#: Loads the probe by its path: the interpreter has no fencerun, and the working directory, which
#: ``-c`` puts on ``sys.path``, may hold a ``torch`` of its own.
_LOADER = """\
import sys
sys.path = [entry for entry in sys.path if entry]
names = {"__name__": "fencerun_probe"}
with open(sys.argv[1], encoding="utf-8") as file:
    exec(compile(file.read(), sys.argv[1], "exec"), names)
names["main"](sys.argv[2])
"""
_PROBE = Path(__file__).parents[1] / "worker" / "probe.py"
_MARK = "\x1efencerun-probe "


class Unanswered(Exception):
    """There is no answer; the message says why, for people."""


class Raised(Unanswered):
    """The question raised an exception there."""


@dataclass(slots=True)
class Inquiry:
    """One interpreter and the environment of its fences. Each question is asked once.

    Expressions are evaluated in ``directory``, else in the working directory.
    """

    python: str
    env: Mapping[str, str]
    directory: str | None = None
    answers: dict[tuple[str, str], object] = field(default_factory=dict)

    def ask(self, question: str, argument: str = "") -> object:
        """The answer, found in this process where that is the same Python and torch stays out.

        Raises Unanswered.
        """
        if question in ("devices", "evaluate") or not self._is_ours():
            return self.once(question, argument, lambda: _start(self, question, argument))
        from fencerun.worker import probe

        arguments = (argument,) if argument else ()
        return self.once(question, argument, lambda: getattr(probe, question)(*arguments))

    def once(self, question: str, argument: str, find: Callable[[], object]) -> object:
        """What ``find`` returned the first time; an Unanswered is raised each time."""
        key = (question, argument)
        if key not in self.answers:
            try:
                self.answers[key] = find()
            except Unanswered as error:
                self.answers[key] = error
        answer = self.answers[key]
        if isinstance(answer, Unanswered):
            raise answer
        return answer

    def _is_ours(self) -> bool:
        # Not samefile: the Pythons of two environments are links to one file.
        same_path = self.env.get("PYTHONPATH") == os.environ.get("PYTHONPATH")
        return same_path and os.path.abspath(self.python) == os.path.abspath(sys.executable)


def _start(inquiry: Inquiry, question: str, argument: str) -> object:
    asked = {"ask": question, **({"of": argument} if argument else {})}
    python = inquiry.python
    try:
        done = subprocess.run(
            [python, "-c", _LOADER, str(_PROBE), json.dumps(asked)],
            env=dict(inquiry.env),
            cwd=inquiry.directory if question == "evaluate" else None,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except OSError as error:
        raise Unanswered(f"{python} does not start: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise Unanswered(f"{python} gave no answer in {SECONDS} s") from None
    _, mark, answer = done.stdout.decode("utf-8", "replace").rpartition(_MARK)
    if not mark:
        raise Unanswered(_last_words(python, done))
    found = json.loads(answer.partition("\n")[0])
    if "error" in found:
        raise Raised(str(found["error"]))
    value: object = found["value"]
    return value


def _last_words(python: str, done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode < 0:
        return f"{python} died of signal {-done.returncode} when asked"
    lines = done.stderr.decode("utf-8", "replace").strip().split("\n")
    said = f": {lines[-1][:200].rstrip('.')}" if lines[-1] else ""
    return f"{python} ended with status {done.returncode} when asked{said}"
