"""`fencerun export`: a page as a notebook, a script or an HTML file. Nothing is run."""
