"""What the server costs, beside a bare room on the same library in the same run: `make bench`."""
