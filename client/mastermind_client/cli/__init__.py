"""The command `mastermind`: its command line, and the commands that only print."""
