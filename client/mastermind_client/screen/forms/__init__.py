"""Forms for a match: their questions and the summaries above them."""
