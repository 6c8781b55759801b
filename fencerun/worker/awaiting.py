"""Runs a fence that has a top-level ``await``: one event loop a chain, as in a notebook.

It does not know fences or pages. ``asyncio`` is imported when the first such fence runs, because
it costs more than everything else that the worker imports together.
"""

from __future__ import annotations

import contextvars
import sys
from collections.abc import Coroutine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from typing import Any


class EventLoop:
    """An event loop that is made when it is first needed and gone after ``close``."""

    def __init__(self) -> None:
        self._loop: AbstractEventLoop | None = None

    def run(
        self, coroutine: Coroutine[Any, Any, object], context: contextvars.Context
    ) -> contextvars.Context:
        """Run ``coroutine`` to its end in ``context``; the context that later code shall run in.

        That is the same one, but for Python 3.10, where a task always runs in a copy. The calling
        thread must not be inside ``context``.
        """
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        if sys.version_info >= (3, 11):
            _finish(self._loop, self._loop.create_task(coroutine, context=context))
            return context
        after = [context]

        async def keeping_context() -> None:
            try:
                await coroutine
            finally:
                after[0] = contextvars.copy_context()

        _finish(self._loop, context.run(self._loop.create_task, keeping_context()))
        return after[0]

    def close(self) -> None:
        """Cancel what still waits and end the loop with its helper threads."""
        loop, self._loop = self._loop, None
        if loop is None or loop.is_closed():
            return
        asyncio = sys.modules["asyncio"]
        try:
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            if tasks:
                loop.run_until_complete(asyncio.wait(tasks, timeout=1.0))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            loop.close()


def _finish(loop: AbstractEventLoop, task: Task[Any]) -> None:
    try:
        loop.run_until_complete(task)
    except BaseException:
        if task.done() and not task.cancelled():
            task.exception()  # or the loop would log that nobody looked at a SystemExit
        raise
