"""The screens of one match: waiting for its second player, playing, watching and its review."""
