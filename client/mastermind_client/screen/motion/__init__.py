"""What moves on a screen: a clock's time, and what is seen then."""
