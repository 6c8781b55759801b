"""Tags for pages that have none yet: which code blocks can be fences, and what they continue.

The pure parts look at code and pages; ``trial`` runs them through a session, ``writing`` makes the
edits, and ``work`` puts it all together for the verb `tag`.
"""
