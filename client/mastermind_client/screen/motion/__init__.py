"""Animations and the controls of the playback."""
