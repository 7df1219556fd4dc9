"""What a server tells its operator, on a port of its own: metrics, and whether it may be used."""
