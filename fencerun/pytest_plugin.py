"""What pytest loads wherever fencerun is installed: two options, and nothing until one is given.

Every run of pytest pays for this file, whatever it tests.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: "pytest.Parser") -> None:
    """``--fences`` and what goes with it."""
    group = parser.getgroup("fencerun", "fenced code blocks of Markdown pages")
    group.addoption(
        "--fences", action="store_true", help="collect Markdown pages: a test for each fence"
    )
    group.addoption(
        "--fences-record",
        action="store_true",
        help="as --fences, and write what fences print into their pages",
    )
    group.addoption("--fences-python", metavar="PATH", help="the interpreter that runs the fences")
    group.addoption(
        "--fences-without", metavar="CAPS", default="", help="treat these capabilities as not there"
    )


def pytest_configure(config: "pytest.Config") -> None:
    """Bring in the rest where it is asked for."""
    if config.getoption("--fences") or config.getoption("--fences-record"):
        from fencerun.pytesting.plugin import FencesPlugin

        config.pluginmanager.register(FencesPlugin(config), "fencerun-fences")
