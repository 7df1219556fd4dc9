"""What a person asks for: the options of one command, and the settings that are kept."""
