"""fencerun: run the fenced code blocks of Markdown lessons, record and check what they print.

The package runs in two roles. The parent (``cli``, ``session`` and what they drive) never
imports torch. The child (``worker``) is stdlib-only, because it runs under the interpreter of
the lesson, which need not have fencerun's dependencies. This file imports nothing, so that the
child pays for nothing.
"""

__version__ = "0.1.0"
