"""What the same match costs on another game server, in the same run: `make bench-peers`."""
