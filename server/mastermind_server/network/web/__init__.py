"""The web page: its files, and the HTTP responses to browsers. Without I/O after the start."""
