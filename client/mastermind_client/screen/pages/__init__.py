"""The screens of the full-screen interface, one module each."""
