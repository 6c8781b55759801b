"""The child side: what runs under the interpreter that the fences run in. Standard library only."""
