"""The layout and drawing of a match, and its line of chat."""
