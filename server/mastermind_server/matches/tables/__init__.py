"""One match each: its log, who follows it, what is said, and the tables in memory."""
