"""Animations, confetti, and the controls of the playback."""
