"""Nodes that share a store: leases, presence, notifications and deadlines."""
