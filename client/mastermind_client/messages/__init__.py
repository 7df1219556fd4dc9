"""What is said to a person, by whichever interface: pure functions from what is known to texts.

Every text is in the reader's language; what somebody else wrote is made harmless first. Nothing
here waits, connects or draws, and it is cheap to import.
"""
