"""Forms for a match: the questions, and the summary above them."""
