"""`fencerun completion`: a script for a shell, made from the options that the verbs have.

``offer`` reads the parsers, one module a shell words the script. The scripts start no process of
fencerun: what a page holds, they read by themselves, so a TAB costs milliseconds.
"""
