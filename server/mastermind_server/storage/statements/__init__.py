"""The statements, as functions of a session."""
