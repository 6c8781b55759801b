"""What the project's own site generator makes of a page: which tags its readers would see.

`finding` looks for a generator's file on disk, `generators` says what its settings mean,
`advice` and `templates` compare a page with that. Nothing here is needed to run a fence.
"""
