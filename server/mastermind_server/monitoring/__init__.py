"""What a server measures and logs: load, request costs and times, and the lines of its log."""
