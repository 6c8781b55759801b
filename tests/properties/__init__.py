"""Properties that hold for every page, with the pages to try them on."""
