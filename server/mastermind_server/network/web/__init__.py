"""The web page: its files, and the HTTP responses to browsers. The files are read at the start."""
