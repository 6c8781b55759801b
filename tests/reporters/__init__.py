"""Tests of the reporters, driven by scripted events."""
