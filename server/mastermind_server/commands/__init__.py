"""The commands of `mastermind-server`."""
