"""The operator port of a server: metrics, liveness and readiness over HTTP."""
