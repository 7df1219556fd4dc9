"""Attacks on a server, and the latency of honest players during each: `make attacks`."""
