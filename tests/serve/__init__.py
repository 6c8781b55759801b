"""The live page: its parts, its routes, and all of it in a browser."""
