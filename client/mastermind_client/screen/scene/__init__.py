"""The values that the drawing of a match needs, and nothing else."""
