"""Shared test helpers: the only package imported by several test folders."""
