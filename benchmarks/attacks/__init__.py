"""What strangers can do to others' moves: honest matches beside each attack."""
