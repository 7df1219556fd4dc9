"""The pages of the code of the day: the day, its places, and past days."""
