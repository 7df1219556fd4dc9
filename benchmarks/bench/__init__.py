"""CPU, memory and latency of the server, compared with a baseline: `make bench`."""
