"""`fencerun init`: a first lesson, a configuration and a CI workflow, all of them or none.

``files/`` holds what is written, ``scaffold`` decides what goes where, ``writing`` puts it on disk,
``origin`` says how another machine installs this fencerun.
"""
