"""Campaigns: traffic, faults and checks, for minutes or hours."""
