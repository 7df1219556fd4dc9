"""Analysis of positions: advice, reviews, luck, corrections of answers, and puzzles."""
