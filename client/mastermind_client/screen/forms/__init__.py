"""Forms for a match: what each asks, and what it says first."""
