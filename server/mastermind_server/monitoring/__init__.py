"""The monitoring port of a server: metrics, liveness and readiness."""
