"""It fails."""

1 / 0
