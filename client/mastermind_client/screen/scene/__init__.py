"""What the screens of a match show, as values: drawing needs nothing else."""
