"""Loggers: what is compared with a copy is found changed, in place too, and put back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest

from fencerun.worker.guards.loggers import LoggersWatch

NAME = "fencerun.tests.loggers"
BEFORE = logging.NullHandler()


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """A logger with one handler, which is taken off again."""
    found = logging.getLogger(NAME)
    found.handlers[:] = [BEFORE]
    yield found
    found.handlers.clear()
    found.filters.clear()
    found.propagate, found.disabled = True, False
    found.setLevel(logging.NOTSET)


def _other_handler(logger: logging.Logger) -> None:
    logger.handlers[0] = logging.NullHandler()


CHANGES: dict[str, Callable[[logging.Logger], object]] = {
    "level": lambda logger: logger.setLevel(logging.DEBUG),
    "handler added": lambda logger: logger.addHandler(logging.NullHandler()),
    "handler in the place of another": _other_handler,
    "handlers gone": lambda logger: logger.handlers.clear(),
    "filter": lambda logger: logger.addFilter(lambda record: False),
    "propagation": lambda logger: setattr(logger, "propagate", False),
    "disabled": lambda logger: setattr(logger, "disabled", True),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found_and_put_back(name: str, logger: logging.Logger) -> None:
    watch = LoggersWatch(logging)
    watch.begin()
    assert watch.differences() == {}
    assert watch.differences() == {}  # the quick way
    CHANGES[name](logger)
    found = watch.differences()
    assert list(found) == [NAME]
    watch.put(NAME, found[NAME])
    assert watch.holds(NAME, found[NAME])
    assert watch.differences() == {}
    CHANGES[name](logger)
    assert list(watch.differences()) == [NAME]


def test_a_change_that_is_adopted_is_no_difference(logger: logging.Logger) -> None:
    watch = LoggersWatch(logging)
    watch.begin()
    assert watch.differences() == {}
    logger.setLevel(logging.DEBUG)
    watch.adopt(NAME)
    assert watch.differences() == {}
    logger.setLevel(logging.NOTSET)
    assert list(watch.differences()) == [NAME]


def test_a_new_logger_counts_once_it_is_touched() -> None:
    watch = LoggersWatch(logging)
    watch.begin()
    assert watch.differences() == {}
    new = logging.getLogger(f"{NAME}.new")
    assert watch.differences() == {}
    new.setLevel(logging.DEBUG)
    assert list(watch.differences()) == [f"{NAME}.new"]
    new.setLevel(logging.NOTSET)
