"""``python -m fencerun``."""

from fencerun.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
