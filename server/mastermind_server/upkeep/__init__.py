"""What whoever runs a server does with what it keeps: backups, and one player's own data."""
