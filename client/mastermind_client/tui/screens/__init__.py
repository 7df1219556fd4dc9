"""The screens of the full-screen face, one module each."""
