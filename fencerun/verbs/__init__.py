"""The verbs of the command line, one module each.

A verb's module has ``options(verb)``, which gives the verb's parser its options, and
``run(arguments)``, which returns the exit code. `fencerun.cli` lists the verbs and loads the one
that was called; a module imports what it needs when it runs.
"""
