"""A module beside the page."""

VALUE = "beside the page"
