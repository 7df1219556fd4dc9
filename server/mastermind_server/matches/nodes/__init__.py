"""What nodes know of each other: who is where, and which of them does what is due."""
