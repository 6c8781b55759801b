"""Logging: a handler that a fence adds to a named logger would print in every later chain too."""

from __future__ import annotations

from operator import attrgetter

from fencerun.worker.guards.probe import Probe, attribute, pair
from fencerun.worker.guards.watches import SmallRegistryWatch, Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def items(logging: Any) -> list[Probe | Watch]:
    """What the loading of ``logging`` activates."""
    root = logging.root

    def set_class(value: Any) -> None:
        logging.setLoggerClass(value)

    return [
        *attribute(root.manager, "logging.disable", "disable"),
        *attribute(logging, "logging.lastResort", "lastResort"),
        *attribute(logging, "logging.raiseExceptions", "raiseExceptions"),
        *pair(logging, "log record factory", "getLogRecordFactory", "setLogRecordFactory"),
        Probe("logger class", logging.getLoggerClass, set_class, "setLoggerClass"),
        LoggersWatch(logging),
        *(
            SmallRegistryWatch(f"logging.{table}", lambda t=table: getattr(logging, t, None),  # type: ignore[misc]
                               "addLevelName")
            for table in ("_levelToName", "_nameToLevel")
        ),
    ]  # fmt: skip


_settings = attrgetter("level", "handlers", "filters", "propagate", "disabled")


class LoggersWatch(Watch):
    """Level, handlers, filters and switches of every logger, the root's too."""

    by_words = True

    def __init__(self, logging: Any) -> None:
        super().__init__("logger", "basicConfig", "addHandler", "setLevel", "dictConfig",
                         "getLogger")  # fmt: skip
        self._logging = logging
        self._fresh = (0, (), (), True, False)
        #: What was read when nothing was found to differ, with copies of what is mutable.
        self._quiet: tuple[list[str], list[Any]] | None = None

    def current(self) -> dict[Any, Any]:
        """Each logger's settings by name; untouched loggers are left out."""
        kind, found = self._logging.Logger, {}
        loggers = self._logging.root.manager.loggerDict
        for name, logger in [("root", self._logging.root), *loggers.items()]:
            if isinstance(logger, kind):
                settings = (logger.level, tuple(logger.handlers), tuple(logger.filters),
                            logger.propagate, logger.disabled)  # fmt: skip
                if settings != self._fresh:
                    found[name] = settings
        return found

    def _read(self) -> tuple[list[str], list[Any]]:
        """The names, and the settings of all loggers as they live: a third of ``current``'s time.

        torch has a hundred and sixty of them.
        """
        kind, root = self._logging.Logger, self._logging.root
        loggers = root.manager.loggerDict
        return [*loggers], [
            _settings(logger) for logger in (root, *loggers.values()) if isinstance(logger, kind)
        ]

    def begin(self) -> None:
        """Take the settings as they are for the way they should be."""
        self._quiet = None
        super().begin()

    def adopt(self, key: Any) -> None:
        """Take one logger as it is."""
        self._quiet = None
        super().adopt(key)

    def stamp(self) -> Any:
        """There is none: settings are compared."""
        return None

    def differences(self) -> dict[Any, Any]:
        """Settings are made anew at each reading, so they are compared by value."""
        read = self._read()
        if read == self._quiet:
            return {}
        now, before = self.current(), self.baseline
        if now == before:
            names, settings = read
            self._quiet = names, [(a, [*b], [*c], d, e) for a, b, c, d, e in settings]
            return {}
        return {
            name: before.get(name, self._fresh)
            for name in {*now, *before}
            if now.get(name, self._fresh) != before.get(name, self._fresh)
        }

    def holds(self, key: Any, value: Any) -> bool:
        """Whether a logger has these settings."""
        return self.current().get(key, self._fresh) == value  # type: ignore[no-any-return]

    def put(self, key: Any, value: Any) -> None:
        """Give one logger its settings back."""
        root = self._logging.root
        logger = root if key == "root" else root.manager.loggerDict[key]
        level, handlers, filters, propagate, disabled = value
        logger.handlers[:] = handlers
        logger.filters[:] = filters
        logger.propagate, logger.disabled = propagate, disabled
        logger.setLevel(level)  # also clears what loggers remember of levels
