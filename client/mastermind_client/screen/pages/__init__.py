"""The screens of the full-screen interface."""
