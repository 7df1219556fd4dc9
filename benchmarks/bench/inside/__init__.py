"""What is measured within one process, beside the bare package that does the same."""
