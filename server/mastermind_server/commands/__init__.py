"""What the program `mastermind-server` can be asked for: a module for each command."""
