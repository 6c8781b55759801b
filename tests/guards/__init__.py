"""The guards, each against code that leaks what it watches."""
