"""The page: the game in a web browser, as files that the server sends."""
