"""`fencerun serve`: the live page in the browser, on this machine's own address only."""
