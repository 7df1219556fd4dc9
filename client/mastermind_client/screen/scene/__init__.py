"""The displayed values of a match, which are the only input of its drawing."""
